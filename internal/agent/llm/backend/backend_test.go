package backend_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/sdk"
)

const token = "sk-secret"

// protocol is a small protocol. Each event is the piece of an answer that its name says.
type protocol struct {
	models []llm.Model
	// unlisted is the error of List.
	unlisted error
}

func (protocol) Request(system string, req llm.Request) (string, any, error) {
	if req.Model == "refused" {
		return "", nil, errors.New("no such model")
	}
	return "http://service/" + req.Model, map[string]any{"system": system, "messages": len(req.Messages)}, nil
}

func (protocol) Reader(a *backend.Answer) func(rest.Event) error {
	return func(e rest.Event) error {
		text := string(e.Data)
		switch e.Name {
		case "text":
			a.Text(text)
		case "think":
			a.Think(text)
		case "call":
			a.StartCall("1", text)
		case "decode":
			return rest.Decode(e.Data, &struct{}{})
		case "error":
			return classify.Event(e.Data)
		case "end":
			a.End = &backend.End{StopReason: text}
		case "filtered":
			a.End = &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: text}}
		case "unless answered":
			a.End = &backend.End{IfEmpty: &llm.Error{Message: text}}
		case "last":
			return io.EOF
		}
		return nil
	}
}

func (protocol) Describe(context.Context, rest.Client, string) (llm.Model, error) {
	return llm.Model{}, errors.New("not described")
}

func (p protocol) List(context.Context, rest.Client) ([]llm.Model, error) {
	return p.models, p.unlisted
}

// service answers every request. It records the last one.
type service struct {
	status int
	header http.Header
	body   io.Reader

	request *http.Request
	sent    string
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.request, s.sent = req, string(sent)
	return &http.Response{StatusCode: s.status, Header: s.header, Body: io.NopCloser(s.body), Request: req}, nil
}

// events writes a stream. Each event has a name and data.
func events(pairs ...string) string {
	var out strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		out.WriteString("event: " + pairs[i] + "\ndata: " + pairs[i+1] + "\n\n")
	}
	return out.String()
}

func newProvider(s *service, p protocol) *backend.Provider {
	return backend.New(backend.Options{Token: token, HTTPClient: &http.Client{Transport: s}}, backend.Service{
		Protocol: p, Header: http.Header{"Version": {"1"}}, TokenHeader: "Authorization", TokenPrefix: "Bearer ",
		Limits: dialogue.Rules{MaxID: 64, MaxName: 64},
	})
}

// TestAnswers checks how the events of a stream become a response.
func TestAnswers(t *testing.T) {
	t.Parallel()
	cut := io.MultiReader(strings.NewReader(events("text", "Hi", "end", "")), iotest.ErrReader(io.ErrUnexpectedEOF))
	for name, test := range map[string]struct {
		stream io.Reader
		want   string
	}{
		"text":                     {strings.NewReader(events("text", "Hi", "end", "")), "Hi end"},
		"pieces":                   {strings.NewReader(events("think", "hm", "text", "H", "text", "i", "end", "")), "(hm)Hi end"},
		"call":                     {strings.NewReader(events("call", "Read", "end", "")), "[Read {}] tools"},
		"call, cut at the limit":   {strings.NewReader(events("call", "Read", "end", llm.StopLength)), "[Read {}] length"},
		"empty":                    {strings.NewReader(events("end", "")), " end"},
		"not empty, though odd":    {strings.NewReader(events("text", "Hi", "unless answered", "why")), "Hi end"},
		"a call, though odd":       {strings.NewReader(events("call", "Read", "unless answered", "why")), "[Read {}] tools"},
		"after the last event":     {strings.NewReader(events("text", "Hi", "end", "", "last", "", "error", "{}")), "Hi end"},
		"cut once it was complete": {cut, "Hi end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var heard strings.Builder
			s := &service{status: http.StatusOK, body: test.stream}
			response, err := newProvider(s, protocol{}).Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{
				{Role: llm.RoleSystem, Content: "Be brief."}, {Role: llm.RoleUser, Content: "hi"},
			}}, func(d llm.Delta) { heard.WriteString(d.Text) })
			if err != nil {
				t.Fatal(err)
			}
			m := response.Message
			got := m.Content
			if m.Thinking != "" {
				got = "(" + m.Thinking + ")" + got
			}
			for _, c := range m.ToolCalls {
				got += "[" + c.Name + " " + string(c.Arguments) + "]"
			}
			if got += " " + response.StopReason; got != test.want || heard.String() != m.Content {
				t.Errorf("got %q, want %q; heard %q", got, test.want, heard.String())
			}
			if h := s.request.Header; h.Get("Authorization") != "Bearer "+token || h.Get("Version") != "1" {
				t.Errorf("sent the header %v", h)
			}
			if s.sent != `{"messages":1,"system":"Be brief."}` || s.request.URL.Path != "/m" {
				t.Errorf("sent %s to %s", s.sent, s.request.URL)
			}
		})
	}
}

// TestFailures checks the error of a call. Each row is a rule.
func TestFailures(t *testing.T) {
	t.Parallel()
	ok := func(pairs ...string) *service {
		return &service{status: http.StatusOK, body: strings.NewReader(events(pairs...))}
	}
	const slow = `{"error":{"message":"slow down"}}`
	for name, test := range map[string]struct {
		service *service
		want    llm.Error
	}{
		"ended early":          {ok("text", "Hi"), llm.Error{Type: sdk.ErrorTypeNetwork, Message: "reaching http://service: the connection was closed before the answer was complete"}},
		"ended early, by name": {ok("text", "Hi", "last", ""), llm.Error{Type: sdk.ErrorTypeNetwork, Message: "reaching http://service: the connection was closed before the answer was complete"}},
		"no events":            {ok(), llm.Error{Type: sdk.ErrorTypeNetwork, Message: "reaching http://service: the connection was closed before the answer was complete"}},
		"error in the middle":  {ok("text", "Hi", "error", `{"error":{"code":503,"message":"busy"}}`, "end", ""), llm.Error{Type: sdk.ErrorTypeServer, Message: "503 Service Unavailable: busy"}},
		"error after the end":  {ok("end", "", "error", `{"error":{"code":503,"message":"busy"}}`), llm.Error{Type: sdk.ErrorTypeServer, Message: "503 Service Unavailable: busy"}},
		"secret in an event":   {ok("error", `{"error":"not `+token+`"}`), llm.Error{Message: "not [redacted]"}},
		"malformed event":      {ok("decode", "{"), llm.Error{Message: "reading the answer: unexpected end of JSON input", Malformed: true}},
		"filtered":             {ok("text", "Hi", "filtered", "no"), llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "no"}},
		"empty":                {ok("think", "hm", "unless answered", "why"), llm.Error{Message: "why"}},
		"too long":             {ok("text", strings.Repeat("x", 5<<20), "text", strings.Repeat("x", 5<<20), "end", ""), llm.Error{Message: "reading the answer: it has more than the limit of 8 MiB for one answer, so it was ended"}},
		"error body":           {&service{status: 401, body: strings.NewReader(`{"error":{"message":"bad key ` + token + `"}}`)}, llm.Error{Type: sdk.ErrorTypeAuth, Message: "401 Unauthorized: bad key [redacted]; check the token of the provider"}},
		"error body, no JSON":  {&service{status: 502, body: strings.NewReader("bad gateway")}, llm.Error{Type: sdk.ErrorTypeServer, Message: "502 Bad Gateway: bad gateway"}},
		"error for a stream":   {&service{status: 200, body: strings.NewReader(`{"error":{"code":429,"message":"slow down"}}`)}, llm.Error{Type: sdk.ErrorTypeRateLimit, Message: "429 Too Many Requests: slow down"}},
		"retry after": {
			&service{status: 429, header: http.Header{"Retry-After": {"7"}}, body: strings.NewReader(slow)},
			llm.Error{Type: sdk.ErrorTypeRateLimit, Message: "429 Too Many Requests: slow down", RetryAfter: 7 * time.Second},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := newProvider(test.service, protocol{}).Chat(t.Context(), llm.Request{Model: "m"}, func(llm.Delta) {})
			failure, classified := errors.AsType[*llm.Error](err)
			if !classified || *failure != test.want || response.StopReason != "" {
				t.Errorf("got  %+v, %v\nwant %+v", response, err, test.want)
			}
		})
	}
}

// TestCancelled checks that a cancellation by the caller is its own error, whatever else went wrong.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"in the middle":   events("text", "Hi", "text", "more"),
		"at an error":     events("text", "Hi", "error", "{}"),
		"at its end":      events("text", "Hi", "end", ""),
		"too long by now": events("text", "Hi", "text", strings.Repeat("x", 9<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			s := &service{status: http.StatusOK, body: strings.NewReader(stream)}
			_, err := newProvider(s, protocol{}).Chat(ctx, llm.Request{Model: "m"}, func(llm.Delta) { cancel() })
			if _, classified := errors.AsType[*llm.Error](err); classified || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNames checks which model is asked if the request names none.
func TestNames(t *testing.T) {
	t.Parallel()
	listed := protocol{models: []llm.Model{{Name: "first"}, {Name: "second"}}}
	for name, test := range map[string]struct {
		protocol protocol
		asked    string
		want     string
	}{
		"named":           {listed, "m", "/m"},
		"first":           {listed, "", "/first"},
		"none":            {protocol{}, "", "model_unavailable: the server lists no models, and none is named: load one in the server, or name one with --model or model.name of the agent"},
		"not listed":      {protocol{unlisted: &llm.Error{Message: "no list"}}, "", "listing the models, because none is named: no list; or name one with --model or model.name of the agent"},
		"not allowed":     {protocol{unlisted: &llm.Error{Type: sdk.ErrorTypeAuth, Message: "no"}}, "", "auth: listing the models, because none is named: no"},
		"cancelled":       {protocol{unlisted: context.Canceled}, "", "context canceled"},
		"no such request": {listed, "refused", "no such model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{status: http.StatusOK, body: strings.NewReader(events("end", ""))}
			p := newProvider(s, test.protocol)
			_, err := p.Chat(t.Context(), llm.Request{Model: test.asked}, func(llm.Delta) {})
			var got string
			if err != nil {
				got = err.Error()
			} else {
				got = s.request.URL.Path
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			// A description is not worth an error.
			if _, err := p.Model(t.Context(), test.asked); err != nil {
				t.Error(err)
			}
		})
	}
}
