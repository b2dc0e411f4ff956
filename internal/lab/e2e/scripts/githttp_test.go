//go:build linux

package scripts

import (
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// secret is the password for repositories below /private.
const secret = "s3cret-t0ken"

// githttp serves the repositories below repos/ with git http-backend. It sets HTTP and HTTPS to the URLs of its two servers.
//
//	/public/REPO    needs no password
//	/private/REPO   needs the password
//	/stalled/REPO   sends half of the response, writes the file "stalled" and waits
//	/moved/REPO     redirects to another name of this machine
//
// The server writes a line to logins.txt for every login attempt.
func gitHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: githttp")
	}
	backend, err := exec.Command("git", "--exec-path").Output()
	ts.Check(err)
	s := &gitServer{
		dir: ts.Getenv("WORK"),
		cgi: &cgi.Handler{
			Stderr: io.Discard,
			Path:   filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"),
			Env: []string{
				"GIT_PROJECT_ROOT=" + ts.MkAbs("repos"), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + ts.MkAbs("repos"),
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
			},
		},
		done: make(chan struct{}),
	}
	plain, tls := httptest.NewServer(s), httptest.NewTLSServer(s)
	ts.Defer(func() {
		close(s.done)
		plain.Close()
		tls.Close()
	})
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw})
	ts.Check(os.WriteFile(filepath.Join(s.dir, "ca.pem"), cert, 0o600))
	ts.Setenv("SSL_CERT_FILE", filepath.Join(s.dir, "ca.pem"))
	ts.Setenv("HTTP", plain.URL)
	ts.Setenv("HTTPS", tls.URL)
}

type gitServer struct {
	dir  string
	cgi  *cgi.Handler
	done chan struct{}

	mu sync.Mutex
}

func (s *gitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, sent := r.BasicAuth()
	if sent {
		s.note(fmt.Sprintf("%s %s:%s", r.URL.Path, user, password))
	}
	area, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	r.URL.Path = "/" + rest
	switch {
	case area == "private" && password != secret:
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "you sent "+password, http.StatusUnauthorized)
	case area == "moved":
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/public/"+rest+"?"+r.URL.RawQuery, http.StatusFound)
	case area == "stalled" && r.Method == http.MethodPost:
		s.stall(w, r)
	default:
		s.cgi.ServeHTTP(w, r)
	}
}

// stall sends a part of the response and waits until the server or the client ends.
func (s *gitServer) stall(w http.ResponseWriter, r *http.Request) {
	whole := httptest.NewRecorder()
	s.cgi.ServeHTTP(whole, r)
	maps.Copy(w.Header(), whole.Header())
	w.Header().Del("Content-Length")
	body := whole.Body.Bytes()
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	_ = os.WriteFile(filepath.Join(s.dir, "stalled"), nil, 0o600)
	select {
	case <-s.done:
	case <-r.Context().Done():
	}
}

func (s *gitServer) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(s.dir, "logins.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	fmt.Fprintln(f, line)
}
