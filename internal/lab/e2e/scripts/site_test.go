//go:build unix

package scripts

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() { commands["site"] = startSite }

// startSite starts a web server on a port of this machine, which it sets as a variable. Each page says how many requests there were. Those
// below /files are the files of a directory of the script.
func startSite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: site VARIABLE [DIR]")
	}
	files := http.NotFoundHandler()
	if len(args) == 2 {
		files = http.StripPrefix("/files/", http.FileServer(http.Dir(ts.MkAbs(args[1]))))
	}
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		if strings.HasPrefix(r.URL.Path, "/files/") {
			files.ServeHTTP(w, r)
			return
		}
		switch r.URL.Path {
		case "/image":
			_, _ = w.Write([]byte("\x89PNG\r\n\x1a\nsite"))
		case "/searx/search":
			_, _ = fmt.Fprintf(w, `{"results": [{"title": "Found %s", "url": "https://found.example/", "content": "A summary"}]}`, r.URL.Query().Get("q"))
		case "/away":
			http.Redirect(w, r, "http://169.254.169.254/latest/", http.StatusFound)
		case "/latin":
			w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
			_, _ = w.Write([]byte("caf\xe9"))
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = fmt.Fprint(w, strings.Repeat("line\n", 10_000))
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, "<title>Page</title><h1>Request %d</h1><p>of <a href=/next>%s</a></p>", n, r.URL.Path)
		}
	}))
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	ts.Setenv(args[0], port)
	ts.Defer(server.Close)
}
