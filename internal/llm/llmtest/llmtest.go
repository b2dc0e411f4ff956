// Package llmtest has model services for tests: servers on loopback that speak a protocol, play what they are told to, and
// reject whatever the real service would reject. They reject rather more than less: what is refused by any of the servers
// that speak a protocol is refused here.
package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Token is what the servers want to see.
const Token = "test-token-0123456789"

// Server is a service that plays replies, one per request for an answer. A request that it rejects takes none, and fails the
// test, as does one for which no reply is left.
type Server struct {
	// URL is the address that a provider is configured with.
	URL string

	tb       testing.TB
	protocol protocol
	// closing ends the replies that would stall for ever.
	closing chan struct{}

	mu         sync.Mutex
	replies    []Reply
	played     int
	requests   []Request
	rejections []string
	tolerant   bool
	anonymous  bool
	pages      map[string]string
}

// protocol is what tells the services apart.
type protocol interface {
	// path reports whether an address is the one for answers.
	path(string) bool
	// token is what a request shows as its token.
	token(http.Header) string
	// check returns why the real service would reject a request.
	check(Request) error
	// lines writes a request down for reading.
	lines(Request) []string
	// offered are the names of the tools that a request offers.
	offered(Request) []string
	// refusal is the body for a rejected request.
	refusal(message string) string
	// events are a reply as a stream: what is said, and how it ends.
	events(n int, reply Reply, req Request) (said, end []string)
	// failure is an error inside a stream.
	failure(body string) string
}

func start(tb testing.TB, p protocol, suffix string, replies []Reply) *Server {
	tb.Helper()
	s := &Server{tb: tb, protocol: p, replies: replies, closing: make(chan struct{}), pages: map[string]string{}}
	server := httptest.NewServer(s)
	s.URL = server.URL + suffix
	tb.Cleanup(func() {
		close(s.closing)
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// Add appends replies to those that are left.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Page makes the server answer any request for a path, such as /api/show, with a JSON body.
func (s *Server) Page(path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = body
}

// Tolerate lets the test go on when a request is rejected or has no reply.
func (s *Server) Tolerate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tolerant = true
}

// Anonymous makes the server want no token, as one on the user's own machine does.
func (s *Server) Anonymous() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anonymous = true
}

// Requests are those for an answer, rejected ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Rejections say why requests were rejected.
func (s *Server) Rejections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rejections)
}

// Request is what reached a server.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte

	protocol protocol
}

// JSON is the body as a JSON object; nil if it is none.
func (r Request) JSON() map[string]any {
	var out map[string]any
	if json.Unmarshal(r.Body, &out) != nil {
		return nil
	}
	return out
}

// Lines are the messages, one line for each piece, such as "user: hi", `call 1: Read {"path":"a"}` and "result 1: text".
func (r Request) Lines() []string { return r.protocol.lines(r) }

// Tools are the names of the tools that the model may call.
func (r Request) Tools() []string { return r.protocol.offered(r) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, protocol: s.protocol}
	if page, ok := s.page(req.Path); ok {
		respond(w, http.StatusOK, page)
		return
	}
	if !s.protocol.path(req.Path) {
		respond(w, http.StatusNotFound, s.protocol.refusal("no such address: "+req.Path))
		return
	}
	reply, n, err := s.take(req)
	switch {
	case errors.Is(err, errToken):
		respond(w, http.StatusUnauthorized, s.protocol.refusal(err.Error()))
		return
	case err != nil:
		respond(w, http.StatusBadRequest, s.protocol.refusal(err.Error()))
		return
	}
	player{server: s, w: w, gone: r.Context().Done()}.play(n, reply, req)
}

func (s *Server) page(path string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, ok := s.pages[path]
	return page, ok
}

// take records a request, checks it, and returns its reply with the number of that.
func (s *Server) take(req Request) (Reply, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	err := first(s.checkToken(req.Header), s.protocol.check(req))
	if err == nil && s.played == len(s.replies) {
		err = fmt.Errorf("request %d comes unexpected", len(s.requests))
	}
	if err != nil {
		s.rejections = append(s.rejections, err.Error())
		if !s.tolerant {
			s.tb.Errorf("request %d is rejected: %v\n%s", len(s.requests), err, req.Body)
		}
		return Reply{}, 0, err
	}
	s.played++
	return s.replies[s.played-1], s.played, nil
}

var errToken = errors.New("the API key is missing or wrong")

func (s *Server) checkToken(h http.Header) error {
	got := s.protocol.token(h)
	if s.anonymous && got == "" || !s.anonymous && got == Token {
		return nil
	}
	return errToken
}

func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// names lists the keys of a map in order.
func names[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
