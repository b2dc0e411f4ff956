package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
)

// service is an MCP server over HTTP whose handler a test can replace.
type service struct {
	*httptest.Server

	mu     sync.Mutex
	inside http.Handler
	seen   []string
	stop   chan struct{}
}

// newService starts a service. If old is set, it supports only the protocol version with sessions.
func newService(t *testing.T, old bool) *service {
	t.Helper()
	s := &service{stop: make(chan struct{})}
	s.renew()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.Header.Get("Authorization"))
		inside := s.inside
		s.mu.Unlock()
		if old && strings.Contains(string(body), "server/discover") {
			http.NotFound(w, r)
			return
		}
		inside.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		close(s.stop)
		s.Close()
	})
	return s
}

// renew drops all sessions, like a restart.
func (s *service) renew() {
	server := goodServer(100, s.stop)
	s.set(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
}

func (s *service) set(inside http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside = inside
}

func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// over returns the Server configuration for a service.
func over(s *service) Server {
	return Server{Name: "web", URL: s.URL, Headers: map[string]string{"Authorization": "Bearer token"}, Source: "mcp.yaml"}
}

func TestService(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]bool{"new protocol": false, "old protocol": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, old)
			changed := make(chan struct{}, 10)
			set := opened(t, Options{OnChange: func() { changed <- struct{}{} }}, over(s))
			if got := status(t, set, "web"); got.Type != TypeHTTP || got.State != StateConnected {
				t.Fatalf("%+v", got)
			}
			if got := must(t, set, "mcp__web__echo", map[string]any{"text": "hello"}); got != "hello" {
				t.Errorf("got %q", got)
			}
			if _, err := run(t.Context(), t, set, "mcp__web__fail", nil); err == nil || err.Error() != "no such page" {
				t.Errorf("got %v", err)
			}
			must(t, set, "mcp__web__grow", nil)
			<-changed
			if got := must(t, set, "mcp__web__grown", nil); got != "new" {
				t.Errorf("got %q", got)
			}
			set.Close()
			got := s.requests()
			for _, each := range got {
				if !strings.HasSuffix(each, " Bearer token") {
					t.Errorf("a request without the header: %s", each)
				}
			}
			if old && !slices.Contains(got, "DELETE Bearer token") {
				t.Errorf("the session was not ended: %v", got)
			}
		})
	}
}

func TestServiceForgetsSession(t *testing.T) {
	t.Parallel()
	var said notices
	s := newService(t, true)
	set := opened(t, Options{Notify: said.add}, over(s))
	must(t, set, "mcp__web__echo", nil)
	s.renew()
	if got := must(t, set, "mcp__web__echo", map[string]any{"text": "again"}); got != "again" {
		t.Errorf("got %q", got)
	}
	if got := status(t, set, "web"); got.Reconnects != 1 || got.State != StateConnected {
		t.Errorf("%+v", got)
	}
	contains(t, "notice", said.all(), `MCP server "web" is not connected: connecting again now`)
}

func TestServiceThatIsDown(t *testing.T) {
	t.Parallel()
	s := newService(t, true)
	set := opened(t, Options{}, over(s))
	s.set(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "later", http.StatusServiceUnavailable) }))
	if _, err := run(t.Context(), t, set, "mcp__web__echo", nil); err == nil || !strings.Contains(err.Error(), "Service Unavailable") {
		t.Errorf("got %v", err)
	}
	s.renew()
	if got := must(t, set, "mcp__web__echo", map[string]any{"text": "up"}); got != "up" {
		t.Errorf("got %q", got)
	}
}

func TestServiceFailures(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host got a request with %v", r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	for name, row := range map[string]struct {
		inside http.HandlerFunc
		want   string
	}{
		"refuses": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you", http.StatusUnauthorized) }, "Unauthorized"},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "it redirects to " + elsewhere.URL},
		"circles": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, "it redirects without end"},
		"speaks no JSON": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "welcome")
		}, "decode"},
		"answers without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.Copy(w, endless{})
		}, "more than the limit of 16 MiB"},
		"never answers": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-stop:
			}
		}, "no answer in time (1s)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said notices
			s := newService(t, false)
			s.set(row.inside)
			conf := over(s)
			if name == "never answers" {
				conf.Timeout = time.Second
			}
			set := opened(t, Options{Notify: said.add}, conf)
			contains(t, "notice", said.all(), row.want, `MCP server "web"`, "check its url and headers", "in mcp.yaml")
			if got := status(t, set, "web"); got.State != StateFailed {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestRefusedCredentials checks that the message about credentials names the variables and what to do.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	header := map[string]string{"Authorization": "Bearer x"}
	for want, s := range map[string]Server{
		`the service wants credentials: add headers: {Authorization: "Bearer ${NAME}"} in mcp.yaml, and set the variable NAME`: {},
		"the service refuses the credentials: check its url and headers in mcp.yaml":                                           {Headers: header},
		"the service refuses the credentials: check its url and headers in mcp.yaml, and the value of TOKEN and OTHER":         {Headers: header, Variables: []string{"TOKEN", "OTHER"}},
	} {
		s.Name, s.URL, s.Source = "web", "http://localhost", "mcp.yaml"
		for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			refused := &server{Server: s}
			err := refused.failed(errors.New(http.StatusText(code)))
			contains(t, "error", err.Error(), want)
			contains(t, "listed", refused.status().Error, want)
		}
	}
}

// TestServiceWithoutStream tests a service that accepts the request for its own messages and never answers it.
func TestServiceWithoutStream(t *testing.T) {
	t.Parallel()
	s := newService(t, true)
	inside := s.inside
	s.set(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		inside.ServeHTTP(w, r)
	}))
	p := hurried()
	p.listen = 50 * time.Millisecond
	set := open(t.Context(), Options{}, p, []Server{over(s)})
	t.Cleanup(set.Close)
	if got := must(t, set, "mcp__web__echo", map[string]any{"text": "fine"}); got != "fine" {
		t.Errorf("got %q", got)
	}
}

func TestServiceCallEnds(t *testing.T) {
	t.Parallel()
	s := newService(t, false)
	set := opened(t, Options{}, over(s))
	set.servers[0].Timeout = 200 * time.Millisecond
	if _, err := run(t.Context(), t, set, "mcp__web__hang", nil); err == nil || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("timeout: %v", err)
	}
	set.servers[0].Timeout = 0
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, t, set, "mcp__web__hang", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's end: %v", err)
	}
	hang := lookup(t, set, "mcp__web__hang")
	begun := filepath.Join(t.TempDir(), "begun")
	done := make(chan error, 1)
	go func() {
		_, err := hang.Execute(t.Context(), tool.Call{Args: map[string]any{"begun": begun}})
		done <- err
	}()
	eventually(t, "the call is under way", func() bool { return exists(begun) })
	set.Close()
	if err := <-done; !errors.Is(err, errClosed) {
		t.Errorf("the end of all: %v", err)
	}
}
