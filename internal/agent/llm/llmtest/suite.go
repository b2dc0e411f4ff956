package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// Suite checks the behavior that all providers have in common.
type Suite struct {
	// Start starts the server that the provider talks to.
	Start func(testing.TB, ...Reply) *Server
	// New returns a provider that uses Token. If client is nil, a default client is used.
	New func(url string, client *http.Client) llm.Provider
	// Model is the name of a model that the server accepts.
	Model string
	// Audio lists the media types of audio that the service takes.
	Audio []string
	// UnlimitedSearch is set if a request cannot limit the searches of the service.
	UnlimitedSearch bool
	// Objects is set if the protocol cannot carry malformed arguments.
	Objects bool
}

// checks maps the names of checks to their functions.
type checks map[string]func(Suite, *testing.T)

// Run runs all checks in parallel, except for RunEndless.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	s.RunModel(t)
	s.run(t, checks{
		"failures":                Suite.failures,
		"cancelled in the middle": Suite.cancelledMiddle, "cancelled at once": Suite.cancelledStart,
		"unreachable": Suite.unreachable, "stalls": Suite.stalls,
		"many calls": Suite.manyCalls,
	})
}

// RunModel runs the checks whose result can depend on the model: what is sent, and how answers are parsed. Connection failures
// and limits do not depend on the model.
func (s Suite) RunModel(t *testing.T) {
	t.Helper()
	s.run(t, checks{"answers": Suite.answers, "conversations": Suite.conversations, "second turn": Suite.secondTurn, "files": Suite.files, "audio": Suite.audio, "search": Suite.search})
}

func (s Suite) run(t *testing.T, all checks) {
	t.Helper()
	for name, check := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(s, t)
		})
	}
}

func (s Suite) request(messages ...llm.Message) llm.Request {
	if len(messages) == 0 {
		messages = []llm.Message{{Role: llm.RoleSystem, Content: "Be brief."}, {Role: llm.RoleUser, Content: "hi"}}
	}
	return llm.Request{Model: s.Model, Messages: messages, Tools: []llm.ToolDefinition{
		{Name: "Read", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"array"}},"required":["path"]}`)},
		{Name: longTool, Description: "Has a long name."},
	}}
}

// longTool is a name that no service accepts.
var longTool = "mcp__a.server__" + strings.Repeat("long", 40)

// heard collects the streamed pieces.
type heard struct {
	text, thinking strings.Builder
	pieces         int
}

func (h *heard) delta(d llm.Delta) {
	h.text.WriteString(d.Text)
	h.thinking.WriteString(d.Thinking)
	h.pieces++
}

func (s Suite) answers(t *testing.T) {
	t.Helper()
	read := ToolCall{ID: "c1", Name: "Read", Arguments: `{"path":"a"}`}
	for name, reply := range map[string]Reply{
		"text":           {Text: "Hello, wörld!", Usage: llm.Usage{Input: 120, Output: 30}},
		"cached":         {Text: "Hello.", Usage: llm.Usage{Input: 120, Output: 30, CacheRead: 100}},
		"thinking":       {Thinking: "Let me see …", Text: "Hello."},
		"call":           {ToolCalls: []ToolCall{read}},
		"parallel calls": {Text: "Two.", ToolCalls: []ToolCall{read, {ID: "c2", Name: "Read", Arguments: `{"path":"b"}`}, {ID: "c3", Name: longTool, Arguments: `{}`}}},
		"unknown tool":   {ToolCalls: []ToolCall{{ID: "c1", Name: "Fly", Arguments: `{"to":"moon"}`}}},
		"same id twice":  {ToolCalls: []ToolCall{read, read}},
		"empty":          {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h heard
			server := s.Start(t, s.sent(reply))
			got, err := s.New(server.URL, nil).Chat(t.Context(), s.request(), h.delta)
			if err != nil {
				t.Fatal(err)
			}
			m := got.Message
			if m.Content != reply.Text || h.text.String() != reply.Text || m.Thinking != reply.Thinking || h.thinking.String() != reply.Thinking {
				t.Errorf("got %+v, heard %q and %q", m, h.text.String(), h.thinking.String())
			}
			if reply.Text+reply.Thinking != "" && h.pieces < 2 {
				t.Errorf("heard %d pieces: it is not streamed", h.pieces)
			}
			if m.Role != llm.RoleAssistant || m.CreatedAt.IsZero() || got.Usage != reply.usage() {
				t.Errorf("got %+v, want the usage %+v", got, reply.usage())
			}
			wantStop := llm.StopEnd
			if len(reply.ToolCalls) > 0 {
				wantStop = llm.StopTools
			}
			if got.StopReason != wantStop {
				t.Errorf("stopped for %q, want %q", got.StopReason, wantStop)
			}
			sameCalls(t, m.ToolCalls, reply.ToolCalls)
		})
	}
}

// sent returns the reply with the tool names that the service knows.
func (Suite) sent(reply Reply) Reply {
	reply.ToolCalls = slices.Clone(reply.ToolCalls)
	for i, call := range reply.ToolCalls {
		if call.Name == longTool {
			reply.ToolCalls[i].Name, reply.ToolCalls[i].Offered = "", 2
		}
	}
	return reply
}

func sameCalls(t *testing.T, got []llm.ToolCall, want []ToolCall) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got the calls %+v, want %+v", got, want)
	}
	for i, call := range got {
		if call.ID != want[i].ID || call.Name != want[i].Name || string(call.Arguments) != want[i].Arguments {
			t.Errorf("call %d: got %s %s %s, want %+v", i, call.ID, call.Name, call.Arguments, want[i])
		}
	}
}

func (s Suite) failures(t *testing.T) {
	t.Helper()
	for name, test := range map[string]struct {
		reply Reply
		class string
		says  string
	}{
		"cut":             {Reply{Text: "Hel", Fault: FaultCut}, sdk.ErrorTypeNetwork, "before the answer was complete"},
		"cut at once":     {Reply{Fault: FaultCut}, sdk.ErrorTypeNetwork, ""},
		"cut in a call":   {Reply{ToolCalls: []ToolCall{{Name: "Read", Arguments: `{}`}}, Fault: FaultCut}, sdk.ErrorTypeNetwork, ""},
		"ended early":     {Reply{Text: "Hel", Fault: FaultEnd}, sdk.ErrorTypeNetwork, "before the answer was complete"},
		"error inside":    {Reply{Text: "Hel", Fault: FaultError, Body: `{"type":"error","error":{"type":"overloaded_error","code":503,"message":"overloaded"}}`}, sdk.ErrorTypeServer, "overloaded"},
		"secret inside":   {Reply{Fault: FaultError, Body: `{"type":"error","error":{"code":400,"type":"invalid_request_error","message":"not ` + Token + `"}}`}, "", "[redacted]"},
		"error as answer": {Fail(200, `{"error":{"code":429,"type":"rate_limit_error","message":"slow down"}}`), sdk.ErrorTypeRateLimit, "slow down"},
		"page as answer":  {Fail(200, `<html>`), "", "answered with a web page instead of a model's answer; check the url of the provider"},
		"page instead":    {Fail(404, `<html>no such page</html>`), "", "answered with a web page instead of a model's answer (404 Not Found); check the url of the provider"},
		"nothing there":   {Fail(404, `404 page not found`), "", "check the url of the provider"},
		"nothing":         {Reply{Raw: "\n"}, sdk.ErrorTypeNetwork, ""},
		"rate limit":      {Fail(429, `{"error":{"message":"slow down"}}`), sdk.ErrorTypeRateLimit, "slow down"},
		"credit":          {Fail(429, `{"error":{"message":"you exceeded your quota"}}`), sdk.ErrorTypeCreditExhausted, "quota"},
		"auth":            {Fail(401, `{"error":{"message":"bad key `+Token+`"}}`), sdk.ErrorTypeAuth, "bad key [redacted]"},
		"model":           {Fail(404, `{"error":{"message":"model x not found"}}`), sdk.ErrorTypeModelUnavailable, "model x"},
		"server":          {Fail(500, `{"error":{"message":"broken"}}`), sdk.ErrorTypeServer, "broken"},
		"overloaded":      {Fail(529, ``), sdk.ErrorTypeServer, "529"},
		"timeout":         {Fail(408, ``), "", "408"},
		"conflict":        {Fail(409, ``), "", "409"},
		"context":         {Fail(400, `{"error":{"message":"prompt is too long"}}`), sdk.ErrorTypeContextExhausted, "too long"},
		"filter":          {Fail(400, `{"error":{"code":"content_filter","message":"no"}}`), sdk.ErrorTypeContentFilter, "no"},
		"other":           {Fail(400, `{"error":{"message":"unknown field"}}`), "", "unknown field"},
		"not JSON":        {Fail(502, `bad gateway`), sdk.ErrorTypeServer, "bad gateway"},
		"redirected":      {Reply{Status: 307, Header: map[string]string{"Location": "http://192.0.2.1/"}}, "", "307 Temporary Redirect to http://192.0.2.1/; aura follows no redirects: check the url of the provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h heard
			server := s.Start(t, test.reply)
			_, err := s.New(server.URL, nil).Chat(t.Context(), s.request(), h.delta)
			failure, ok := errors.AsType[*llm.Error](err)
			if !ok || failure.Type != test.class || !strings.Contains(failure.Message, test.says) {
				t.Errorf("got %v, want %s: … %s …", err, test.class, test.says)
			}
			if ok && strings.Contains(failure.Message, Token) {
				t.Errorf("shows the token: %v", err)
			}
			if h.text.String() != test.reply.Text {
				t.Errorf("heard %q, want %q", h.text.String(), test.reply.Text)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("made %d requests", n)
			}
		})
	}
}

func (s Suite) unreachable(t *testing.T) {
	t.Helper()
	server := s.Start(t)
	_, err := s.New(server.URL, &http.Client{Transport: refusing{}}).Chat(t.Context(), s.request(), func(llm.Delta) {})
	failure, ok := errors.AsType[*llm.Error](err)
	if !ok || failure.Type != sdk.ErrorTypeNetwork || strings.Contains(err.Error(), Token) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

type refusing struct{}

func (refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	// A proxy may include the whole request in its error.
	return nil, errors.New("connection refused: " + req.Header.Get("Authorization") + req.Header.Get("X-Api-Key") + req.Header.Get("X-Goog-Api-Key"))
}

func (s Suite) cancelledMiddle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	server := s.Start(t, Reply{Text: "Hello", Fault: FaultStall})
	_, err := s.New(server.URL, nil).Chat(ctx, s.request(), func(llm.Delta) { cancel() })
	ownDoing(t, err)
}

func (s Suite) cancelledStart(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	server := s.Start(t, Reply{Fault: FaultSilence, Arrived: cancel})
	_, err := s.New(server.URL, nil).Chat(ctx, s.request(), func(llm.Delta) {})
	ownDoing(t, err)
}

// ownDoing fails the test unless err is the caller's cancellation and not classified.
func ownDoing(t *testing.T, err error) {
	t.Helper()
	if _, classified := errors.AsType[*llm.Error](err); classified || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
