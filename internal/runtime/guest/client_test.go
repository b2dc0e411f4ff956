package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// services records what the guest asks.
type services struct {
	mu    sync.Mutex
	asked []string
}

func newServices() *services { return &services{} }

func (s *services) recordRequest(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
	return nil
}

func (s *services) Emit(_ context.Context, name string, payload []byte) error {
	value, err := shared.DecodePayload(payload)
	return errors.Join(err, s.recordRequest("emit %s %v", name, value))
}

func (s *services) Listen(_ context.Context, name string) error {
	return s.recordRequest("listen %s", name)
}

func (s *services) State(_ context.Context, r shared.StateRequest) (shared.StateAnswer, error) {
	if r.Key == "forbidden" {
		return shared.StateAnswer{}, errors.New("no")
	}
	return shared.StateAnswer{Value: "\xff", Found: true, Keys: []string{"k"}}, s.recordRequest("%s %s %s %q", r.Op, r.Scope, r.Key, r.Value)
}

// fake is a guest of a test.
type fake struct{ client *Client }

// guestOf connects a client with a guest. reply is called with each frame of the host, in order, and returns the frames to send.
func guestOf(t *testing.T, o Options, reply func(frame map[string]any) []string) fake {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	client := New(inW, o)
	go func() { _ = client.Run(outR) }()
	go func() {
		for {
			text, err := readFrame(inR)
			if err != nil {
				_ = outW.Close()
				return
			}
			var frame map[string]any
			if err := json.Unmarshal(text, &frame); err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			for _, answer := range reply(frame) {
				if writeFrame(outW, []byte(answer)) != nil {
					return
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		client.Close()
	})
	return fake{client}
}

// constant answers every call with the same result or failure.
func constant(content string) func(map[string]any) []string {
	return func(frame map[string]any) []string {
		return []string{fmt.Sprintf(`{"id":%v,%s}`, frame["id"], content)}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string
		call   func(context.Context, *Client) (any, error)
		want   any
		frame  string
	}{
		"hook": {
			`"result":{"Block":true,"Result":{"Message":"no"}}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Hook(ctx, shared.HookCall{
					Point: hookpoint.BeforeToolExecution, Context: sdk.BeforeToolContext{ToolName: "t", Arguments: map[string]any{"f": 1.0}},
					Env: map[string]string{"A": "b"},
				})
			},
			sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "no"}},
			`"point":"BeforeToolExecution"`,
		},
		"hook without a result": {
			`"result":null`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Hook(ctx, shared.HookCall{Point: hookpoint.BeforeChat, Context: sdk.BeforeChatContext{}})
			},
			sdk.Result{},
			`"call":"hook"`,
		},
		"tool": {
			`"result":{"$text":"/w=="}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Execute(ctx, shared.ToolCall{Tool: "t", Args: map[string]any{"$a": 1}})
			},
			"\xff", `"args":{"$map":[["$a",1]]}`,
		},
		"paths": {
			`"result":{"Read":["a"]}`,
			func(ctx context.Context, c *Client) (any, error) { return c.Paths(ctx, shared.PathsCall{Tool: "t"}) },
			sdk.ToolPaths{Read: []string{"a"}},
			`"tool":"t"`,
		},
		"command": {
			`"result":{"Output":"o"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Command(ctx, shared.CommandCall{Name: "c", Args: "x y"})
			},
			sdk.CommandResult{Output: "o"},
			`"args":"x y"`,
		},
		"failure": {
			`"failure":{"kind":"unsupported","message":"none"}`,
			func(ctx context.Context, c *Client) (any, error) { return c.Execute(ctx, shared.ToolCall{}) },
			shared.Failure{Kind: shared.FailureUnsupported, Message: "none"},
			"",
		},
		"failure of an unknown kind": {
			`"failure":{"kind":"sad","message":"none"}`,
			func(ctx context.Context, c *Client) (any, error) { return c.Execute(ctx, shared.ToolCall{}) },
			shared.Failure{Kind: shared.FailureError, Message: "none"},
			"",
		},
		"result of another type": {
			`"result":1`,
			func(ctx context.Context, c *Client) (any, error) { return c.Execute(ctx, shared.ToolCall{}) },
			shared.Failure{Kind: shared.FailureWire, Message: "reading the plugin's answer: got a int, want a string"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen string
			f := guestOf(t, Options{}, func(frame map[string]any) []string {
				text, _ := json.Marshal(frame)
				seen = string(text)
				return constant(tt.answer)(frame)
			})
			got, err := tt.call(t.Context(), f.client)
			if failure, ok := errors.AsType[*shared.Failure](err); ok {
				got = *failure
			} else if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
			if !strings.Contains(seen, tt.frame) {
				t.Errorf("the frame was %s, want %s in it", seen, tt.frame)
			}
		})
	}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	payload, err := shared.EncodePayload(map[string]any{"n": 1, "f": 2.0})
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]any
	f := guestOf(t, Options{}, func(frame map[string]any) []string { seen = frame; return constant(`"result":null`)(frame) })
	if err := f.client.Event(t.Context(), shared.EventCall{Name: "a:b", Sender: "a", Payload: payload}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%v %v %v", seen["event"], seen["sender"], seen["payload"]) != "a:b a map[f:2 n:1]" {
		t.Errorf("got %v", seen)
	}
}

// TestCancel checks that the guest learns of a cancelled call, and that the call still waits for its answer.
func TestCancel(t *testing.T) {
	t.Parallel()
	var waiting any
	f := guestOf(t, Options{}, func(frame map[string]any) []string {
		if frame["call"] == "cancel" {
			return []string{fmt.Sprintf(`{"id":%v,"result":"cancelled %v"}`, waiting, frame["of"] == waiting)}
		}
		waiting = frame["id"]
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := f.client.Execute(ctx, shared.ToolCall{}); err != nil || got != "cancelled true" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestRequests sends requests while a call runs.
func TestRequests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		request string
		alone   bool
		asked   string
		answer  string
	}{
		"emit":              {request: `"ask":"emit","event":"a:b","payload":{"$data":"AQ=="}`, asked: "emit a:b [1]", answer: "map[id:7 result:<nil>]"},
		"emit nothing":      {request: `"ask":"emit","event":"a:b"`, asked: "emit a:b <nil>", answer: "map[id:7 result:<nil>]"},
		"emit without name": {request: `"ask":"emit"`, answer: "map[failure:map[kind:error message:the event has no name] id:7 result:<nil>]"},
		"emit too much": {
			request: `"ask":"emit","event":"a:b","payload":"` + strings.Repeat("x", sdk.MaxPayload) + `"`,
			answer:  "map[failure:map[kind:error message:sending an event: its payload has 65541 bytes, more than the limit of 64 KiB] id:7 result:<nil>]",
		},
		"listen": {request: `"ask":"listen","event":"a:b"`, asked: "listen a:b", answer: "map[id:7 result:<nil>]"},
		"state": {
			request: `"ask":"state","op":"get","scope":"project","key":"k","value":{"$text":"/w=="}`, asked: `get project k "\xff"`,
			answer: "map[id:7 result:map[found:true keys:[k] value:map[$text:/w==]]]",
		},
		"now":       {request: `"ask":"now"`, asked: "now", answer: "map[id:7 result:7000]"},
		"rand":      {request: `"ask":"rand"`, asked: "rand", answer: "map[id:7 result:9]"},
		"now alone": {request: `"ask":"now"`, alone: true, answer: "map[failure:map[kind:error message:" + errAlone.Error() + "] id:7 result:<nil>]"},
		"refused":   {request: `"ask":"state","key":"forbidden"`, answer: "map[failure:map[kind:error message:no] id:7 result:<nil>]"},
		"alone":     {request: `"ask":"listen","event":"a:b"`, alone: true, answer: "map[failure:map[kind:error message:" + errAlone.Error() + "] id:7 result:<nil>]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServices()
			o := Options{Services: s}
			if tt.alone {
				o.Services = nil
			}
			var call any
			var answer string
			f := guestOf(t, o, func(frame map[string]any) []string {
				if frame["call"] != nil {
					call = frame["id"]
					return []string{`{"id":7,` + tt.request + `}`}
				}
				answer = fmt.Sprint(frame)
				return []string{fmt.Sprintf(`{"id":%v,"result":"done"}`, call)}
			})
			if got, err := f.client.Execute(t.Context(), shared.ToolCall{}); err != nil || got != "done" {
				t.Fatalf("got %q, %v", got, err)
			}
			if answer != tt.answer {
				t.Errorf("got  %s\nwant %s", answer, tt.answer)
			}
			if got := strings.Join(s.asked, ","); got != tt.asked {
				t.Errorf("asked %q, want %q", got, tt.asked)
			}
		})
	}
}

// TestSilentRequests checks that a request without an id has no answer, so that a guest need not read while it sends.
func TestSilentRequests(t *testing.T) {
	t.Parallel()
	s := newServices()
	f := guestOf(t, Options{Services: s}, func(frame map[string]any) []string {
		var out []string
		for i := range 100 {
			out = append(out, fmt.Sprintf(`{"ask":"emit","event":"e%d"}`, i))
		}
		return append(out, constant(`"result":"done"`)(frame)...)
	})
	if _, err := f.client.Execute(t.Context(), shared.ToolCall{}); err != nil {
		t.Fatal(err)
	}
	if len(s.asked) != 100 || s.asked[99] != "emit e99 <nil>" {
		t.Errorf("got %q", s.asked)
	}
}

// TestViolations sends what is no frame of the protocol.
func TestViolations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"no JSON":           {"\x00\x00\x00\x03abc", "invalid character 'a'"},
		"too large":         {"\xff\xff\xff\xff", "a frame has more than the limit of 64 MiB: 4294967295 bytes"},
		"nobody asked":      {"\x00\x00\x00\x08{\"id\":5}", "it answers call 5, which nobody made"},
		"a strange request": {"\x00\x00\x00\x0c{\"ask\":\"me\"}", `"me" is nothing that a guest can ask`},
		"the end":           {"", "EOF"},
		"a cut frame":       {"\x00\x00\x00\x0c{", "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := New(io.Discard, Options{}).Run(strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestClose checks that a call that the guest cannot answer any more ends.
func TestClose(t *testing.T) {
	t.Parallel()
	client := New(io.Discard, Options{})
	ended := make(chan error)
	go func() {
		_, err := client.Execute(context.Background(), shared.ToolCall{})
		ended <- err
	}()
	client.Close()
	if err := <-ended; !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
}

// TestLists checks that a guest that asks for the lists of a context gets them, and that a call contains the newest tool call only.
func TestLists(t *testing.T) {
	t.Parallel()
	in := sdk.Context{Turns: []sdk.Turn{{Role: "user", Content: "x"}}, ToolHistory: []sdk.ToolCall{{Name: "a"}, {Name: "b"}}}
	var call, context any
	var got string
	f := guestOf(t, Options{}, func(frame map[string]any) []string {
		switch {
		case frame["call"] == "load":
			return constant(`"result":{"asks_lists":true}`)(frame)
		case frame["call"] != nil:
			call, context = frame["id"], frame["context"]
			return []string{fmt.Sprintf(`{"id":1,"ask":"lists","of":%v}`, call)}
		}
		lists, _ := frame["result"].(map[string]any)
		got = fmt.Sprintf("%v %v", len(lists["Turns"].([]any)), len(lists["ToolHistory"].([]any)))
		return []string{fmt.Sprintf(`{"id":%v,"result":null}`, call)}
	})
	if _, err := f.client.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, send := range map[string]func() error{
		"tool": func() error {
			_, err := f.client.Execute(t.Context(), shared.ToolCall{Context: in})
			return err
		},
		"hook": func() error {
			_, err := f.client.Hook(t.Context(), shared.HookCall{Point: hookpoint.BeforeChat, Context: sdk.BeforeChatContext{Context: in}})
			return err
		},
	} {
		if err := send(); err != nil {
			t.Fatal(err)
		}
		sent, _ := context.(map[string]any)
		if name == "hook" {
			sent, _ = sent["Context"].(map[string]any)
		}
		if history, _ := sent["ToolHistory"].([]any); sent["Turns"] != nil || len(history) != 1 || got != "1 2" || len(in.ToolHistory) != 2 {
			t.Errorf("%s: the call had %v, and the guest got %s", name, sent["ToolHistory"], got)
		}
	}
	if n := len(f.client.history.calls); n != 0 {
		t.Errorf("the lists of %d calls are kept", n)
	}
	b, err := f.client.history.answer(99)
	if err != nil || !strings.Contains(string(b), `"Content":"x"`) {
		t.Errorf("the lists of the newest call are %s, %v", b, err)
	}
}

func (s *services) Now(context.Context) (time.Time, error) {
	return time.Unix(0, 7000), s.recordRequest("now")
}

func (s *services) Rand(context.Context) (uint64, error) { return 9, s.recordRequest("rand") }
