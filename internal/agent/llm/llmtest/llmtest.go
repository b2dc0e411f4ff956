// Package llmtest provides model services for tests. They are servers on loopback that speak a protocol, play given replies,
// and reject what the real service would reject. They are stricter than the real services: they reject what any server of a
// protocol rejects.
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

// Token is the token that the servers require.
const Token = "test-token-0123456789"

// Server is a service that plays replies, one per request for an answer. A rejected request consumes no reply and fails the
// test. So does a request for which no reply is left.
type Server struct {
	// URL is the address for the provider's configuration.
	URL string

	tb       testing.TB
	protocol protocol
	// closing ends the replies that would otherwise stall forever.
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

// protocol implements the differences between the services.
type protocol interface {
	// path reports whether a path is the one for answers.
	path(string) bool
	// token returns the token of a request.
	token(http.Header) string
	// parse decodes the body of a request strictly. If it fails, it returns what it decoded.
	parse(path string, body []byte) (question, error)
	// refusal returns the body for a rejected request.
	refusal(message string) string
	// failure returns an error event for a stream.
	failure(body string) string
}

// question is the body of a request for an answer.
type question interface {
	// check returns an error if the real service would reject the request.
	check(Request) error
	// lines returns the messages in readable form.
	lines() []string
	// tools returns the tools that the model may call.
	tools() []tool
	// searches returns how many searches the service may make; a negative number means that the request sets no limit.
	searches() int
	// events returns the events of a reply: its content, and its end.
	events(n int, reply Reply) (said, end []string)
}

// tool is a tool that a request defines.
type tool struct {
	name   string
	schema json.RawMessage
}

// parse decodes the body of a request for an answer into a T.
func parse[T question](body []byte) (question, error) {
	var q T
	err := strictly(body, &q)
	return q, err
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

// Add appends replies to the remaining ones.
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

// Tolerate prevents a rejected request, or one without a reply, from failing the test.
func (s *Server) Tolerate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tolerant = true
}

// Anonymous makes the server accept requests without a token, like a server on the user's own machine.
func (s *Server) Anonymous() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anonymous = true
}

// Requests returns the requests for an answer, including rejected ones.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Rejections returns the reasons for which requests were rejected.
func (s *Server) Rejections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rejections)
}

// Request is a request that the server received.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte

	question question
}

// JSON returns the body as a JSON object, or nil if it is not an object.
func (r Request) JSON() map[string]any {
	var out map[string]any
	if json.Unmarshal(r.Body, &out) != nil {
		return nil
	}
	return out
}

// Lines returns the messages, one line per piece, such as "user: hi", `call 1: Read {"path":"a"}` and "result 1: text".
func (r Request) Lines() []string { return r.question.lines() }

// Tools returns the names of the tools that the model may call.
func (r Request) Tools() []string {
	var out []string
	for _, t := range r.question.tools() {
		out = append(out, t.name)
	}
	return out
}

// Searches returns how often the service may search the web for the request; a negative number means that the request sets no limit.
func (r Request) Searches() int { return r.question.searches() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if page, ok := s.page(req.Path); ok {
		respond(w, http.StatusOK, page)
		return
	}
	if !s.protocol.path(req.Path) {
		respond(w, http.StatusNotFound, s.protocol.refusal("no such address: "+req.Path))
		return
	}
	reply, n, err := s.replyTo(&req)
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

// replyTo parses a request, records and checks it, and returns its reply and the reply's number.
func (s *Server) replyTo(req *Request) (Reply, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	req.question, err = s.protocol.parse(req.Path, req.Body)
	s.requests = append(s.requests, *req)
	err = first(s.checkToken(req.Header), err)
	if err == nil {
		err = req.question.check(*req)
	}
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

// names returns the sorted keys of a map.
func names[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
