package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestDownload gets files from servers that do not do what they should.
func TestDownload(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "over plain http") }))
	defer plain.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/index.json", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "0123456789") })
	mux.HandleFunc("/moved.json", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/index.json", http.StatusFound) })
	mux.HandleFunc("/plain.json", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+"/index.json", http.StatusFound)
	})
	mux.HandleFunc("/other.json", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://localhost:1/index.json", http.StatusFound)
	})
	mux.HandleFunc("/loop.json", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop.json", http.StatusFound) })
	mux.HandleFunc("/endless.json", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/broken.json", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	mux.HandleFunc("/slow.json", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "012")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	for name, row := range map[string]struct {
		within time.Duration
		fails  string
	}{
		"index.json":   {},
		"moved.json":   {},
		"plain.json":   {fails: "the server redirects to http://127.0.0.1"},
		"other.json":   {fails: "the server redirects to https://localhost:1; add that address if you trust it"},
		"loop.json":    {fails: "the server redirects without end"},
		"endless.json": {fails: "the file has more than the limit of 10 bytes"},
		"broken.json":  {fails: "the server answers 502 Bad Gateway"},
		"none.json":    {fails: "the server has no such file"},
		"slow.json":    {within: 50 * time.Millisecond, fails: "it takes more than the limit of 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer()
			within := row.within
			if within == 0 {
				within = MaxDownload
			}
			text, err := download(t.Context(), limitedClient(p, server.Client().Transport), p, server.URL+"/"+name, 10, within, nil)
			expect(t, err, row.fails)
			if err == nil && string(text) != "0123456789" {
				t.Errorf("got %q", text)
			}
			if name == "none.json" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v is not fs.ErrNotExist", err)
			}
		})
	}
	t.Run("silent", func(t *testing.T) {
		p := newPeer()
		p.silence = 50 * time.Millisecond
		_, err := download(t.Context(), limitedClient(p, server.Client().Transport), p, server.URL+"/slow.json", 10, MaxDownload, nil)
		expect(t, err, "the server sent nothing for 50ms, which is the limit")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("the user pressed Ctrl-C"))
		_, err := Download(ctx, plain.URL+"/index.json", 10, Options{})
		expect(t, err, "the user pressed Ctrl-C")
	})
	t.Run("not the certificate", func(t *testing.T) {
		_, err := Download(t.Context(), server.URL+"/index.json", 10, Options{})
		expect(t, err, "certificate")
	})
}

// TestParseAddress reads addresses of sources.
func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, row := range map[string]struct {
		want  Address
		fails string
	}{
		"https://example.com/a/index.json": {want: Address{URL: "https://example.com/a/index.json", File: true, Host: "example.com"}},
		"https://example.com:81/a":         {want: Address{URL: "https://example.com:81/a", Host: "example.com:81"}},
		"git@example.com:a/b.json":         {want: Address{URL: "git@example.com:a/b.json", Host: "example.com"}},
		"file:///a/b":                      {want: Address{URL: "file:///a/b", Here: true}},
		"http://example.com/index.json":    {fails: "use https"},
		"https://a:b@example.com/x.json":   {fails: "holds a password"},
		"https://example.com/x.json?y=1":   {fails: "has a query"},
		"./index":                          {fails: "is a directory; name a git repository"},
		"ext::sh":                          {fails: "asks git to run a helper program"},
	} {
		got, err := ParseAddress(text, "/w")
		expect(t, err, row.fails)
		if err == nil && got != row.want {
			t.Errorf("%s: %+v, want %+v", text, got, row.want)
		}
	}
	if a, err := ParseAddress("https://example.com/index", "/w"); err != nil || a.File || strings.Contains(a.URL, "json") {
		t.Errorf("%+v, %v", a, err)
	}
}
