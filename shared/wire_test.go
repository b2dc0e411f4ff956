package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/wire"
)

// fake is a plugin in this process behind a connection. It records what it was called with.
type fake struct {
	mu      sync.Mutex
	hook    func(HookCall) (any, error)
	execute func(context.Context, ToolCall) (string, error)
	touches bool
	tool    ToolCall
	paths   sdk.ToolPaths
	exports Exports
}

func (f *fake) Load(context.Context) (Exports, error)                   { return f.exports, nil }
func (f *fake) Hook(_ context.Context, c HookCall) (any, error)         { return f.hook(c) }
func (f *fake) Touches(string) bool                                     { return f.touches }
func (f *fake) Paths(context.Context, PathsCall) (sdk.ToolPaths, error) { return f.paths, nil }
func (f *fake) Event(context.Context, EventCall) error                  { return nil }

func (f *fake) Execute(ctx context.Context, c ToolCall) (string, error) {
	if f.execute != nil {
		return f.execute(ctx, c)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tool = c
	return "", nil
}

func (f *fake) Command(_ context.Context, c CommandCall) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: c.Args}, nil
}

func connect(tb testing.TB, impl Served) *client {
	tb.Helper()
	return connectWith(tb, impl, NewRequester())
}

func connectWith(tb testing.TB, impl Served, requests *Requester) *client {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l := &local{server: NewServer(impl, requests), ctx: ctx}
	tb.Cleanup(func() {
		cancel()
		l.running.Wait()
	})
	return newClient(l)
}

// same compares like reflect.DeepEqual, but treats two times as equal if they have the same instant and the same offset.
func same(a, b any) bool {
	return fmt.Sprintf("%#v", normal(reflect.ValueOf(a))) == fmt.Sprintf("%#v", normal(reflect.ValueOf(b)))
}

// normal converts a value into nested maps and lists in which nil, empty, int and float64 are distinguishable.
func normal(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return "time " + t.Format(time.RFC3339Nano)
	}
	if n, ok := reflect.TypeAssert[json.Number](v); ok {
		return "number " + n.String()
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return []any{"to", normal(v.Elem())}
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			out[v.Type().Field(i).Name] = normal(v.Field(i))
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return "nil list"
		}
		out := []any{}
		for i := range v.Len() {
			out = append(out, normal(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return "nil map"
		}
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			out[k.String()] = normal(v.MapIndex(k))
		}
		return out
	default:
		return fmt.Sprintf("%s %v", v.Type(), v.Interface())
	}
}

// TestEveryTypeSurvives sends random values of every context and every result through a connection. TestManyValuesSurvive sends more.
func TestEveryTypeSurvives(t *testing.T) {
	t.Parallel()
	everyTypeSurvives(t, 0, 15)
}

// everyTypeSurvives sends values of the seeds from first to last.
func everyTypeSurvives(t *testing.T, first, last uint64) {
	t.Helper()
	for _, point := range hookpoint.All() {
		t.Run(string(point.Name), func(t *testing.T) {
			t.Parallel()
			impl := &fake{touches: true}
			c := connect(t, impl)
			for seed := first; seed < last; seed++ {
				r := random{rand.New(rand.NewPCG(seed, 1))}
				in, out := reflect.New(point.Context).Elem(), reflect.New(point.Result).Elem()
				r.fill(in, 3)
				r.fill(out, 3)
				env := map[string]string{"NAME": r.text()}
				impl.hook = func(got HookCall) (any, error) {
					if !same(got.Context, in.Interface()) {
						return nil, &Failure{Kind: FailureError, Message: fmt.Sprintf("sent %#v\ngot %#v", in.Interface(), got.Context)}
					}
					if !reflect.DeepEqual(got.Env, env) {
						return nil, &Failure{Kind: FailureError, Message: "the variables have changed"}
					}
					return out.Interface(), nil
				}
				got, err := c.Hook(t.Context(), HookCall{Point: point.Name, Context: in.Interface(), Env: env})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if !same(got, out.Interface()) {
					t.Fatalf("seed %d: returned %#v, received %#v", seed, out.Interface(), got)
				}
			}
		})
	}
}

// TestToolTypesSurvive does the same for tools, their paths and the exports.
func TestToolTypesSurvive(t *testing.T) {
	t.Parallel()
	toolTypesSurvive(t, 0, 15)
}

func toolTypesSurvive(t *testing.T, first, last uint64) {
	t.Helper()
	impl := &fake{touches: true}
	c := connect(t, impl)
	for seed := first; seed < last; seed++ {
		r := random{rand.New(rand.NewPCG(seed, 2))}
		var call ToolCall
		r.fill(reflect.ValueOf(&call).Elem(), 3)
		r.fill(reflect.ValueOf(&impl.paths).Elem(), 3)
		r.fill(reflect.ValueOf(&impl.exports).Elem(), 3)
		if _, err := c.Execute(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		if !same(impl.tool, call) {
			t.Fatalf("seed %d: sent %#v\ngot %#v", seed, call, impl.tool)
		}
		paths, err := c.Paths(t.Context(), PathsCall{Args: call.Args})
		if err != nil || !same(paths, impl.paths) {
			t.Fatalf("seed %d: paths %#v, want %#v (%v)", seed, paths, impl.paths, err)
		}
		exports, err := c.Load(t.Context())
		if err != nil || !same(exports, impl.exports) {
			t.Fatalf("seed %d: exports %#v, want %#v (%v)", seed, exports, impl.exports, err)
		}
	}
}

// TestOnlyNewHistoryIsSent counts the entries that are sent while a history grows, is replaced, and grows again.
func TestOnlyNewHistoryIsSent(t *testing.T) {
	t.Parallel()
	l := &newSender().turns
	turns := make([]sdk.Turn, 0, 8)
	grow := func(text string) { turns = append(turns, sdk.Turn{Role: "user", Content: text}) }
	moved := func() { turns = append([]sdk.Turn(nil), turns...) }
	rows := []struct {
		name  string
		step  func()
		from  int
		count int
	}{
		{"first", func() { grow("a"); grow("b") }, 0, 2},
		{"nothing new", func() {}, 2, 0},
		{"one more", func() { grow("c") }, 2, 1},
		{"moved and grown", func() { moved(); grow("d") }, 3, 1},
		{"rewritten", func() { moved(); turns[0].Content = "x" }, 0, 4},
		{"cut", func() { turns = turns[:1:1] }, 0, 1},
		{"emptied", func() { turns = nil }, 0, 0},
		{"begun again", func() { grow("e") }, 0, 1},
	}
	var r replica[sdk.Turn]
	for _, row := range rows {
		row.step()
		d, ack := l.diff(turns)
		if d.From != row.from || len(d.Add) != row.count {
			t.Errorf("%s: sent %d entries from %d on, want %d from %d on", row.name, len(d.Add), d.From, row.count, row.from)
		}
		got, err := r.apply(d)
		if err != nil || !reflect.DeepEqual(got, turns) {
			t.Errorf("%s: received %v, want %v (%v)", row.name, got, turns, err)
		}
		ack(true)
	}
}

// TestParallelCallsCarryTheSameHistory makes concurrent calls while none of them is acknowledged.
func TestParallelCallsCarryTheSameHistory(t *testing.T) {
	t.Parallel()
	impl := &fake{execute: func(_ context.Context, c ToolCall) (string, error) {
		return fmt.Sprint(len(c.Context.Turns), len(c.Context.ToolHistory)), nil
	}}
	c := connect(t, impl)
	turns := []sdk.Turn{{Role: "user", Content: "a"}}
	history := []sdk.ToolCall{{Name: "Ls", Args: map[string]any{"path": "."}}}
	var group sync.WaitGroup
	for n := range 50 {
		turns = append(turns, sdk.Turn{Role: "assistant", Content: fmt.Sprint(n)})
		call := ToolCall{Context: sdk.Context{Turns: slices.Clip(turns), ToolHistory: history}}
		want := fmt.Sprint(len(turns), 1)
		group.Go(func() {
			if got, err := c.Execute(t.Context(), call); err != nil || got != want {
				t.Errorf("got %q, want %q (%v)", got, want, err)
			}
		})
	}
	group.Wait()
}

// TestPluginsChangeOnlyTheirCopies lets a plugin write into everything that it received.
func TestPluginsChangeOnlyTheirCopies(t *testing.T) {
	t.Parallel()
	impl := &fake{touches: true}
	c := connect(t, impl)
	in := sdk.BeforeToolContext{
		Context:   sdk.Context{ToolHistory: []sdk.ToolCall{{Args: map[string]any{"a": map[string]any{"b": 1}}}}, Turns: []sdk.Turn{{Content: "x"}}},
		Arguments: map[string]any{"command": "ls"},
	}
	impl.hook = func(call HookCall) (any, error) {
		got := call.Context.(sdk.BeforeToolContext)
		inner := got.ToolHistory[0].Args["a"].(map[string]any)
		if inner["b"] != 1 || got.Turns[0].Content != "x" || got.Arguments["command"] != "ls" {
			return nil, &Failure{Kind: FailureError, Message: fmt.Sprintf("an earlier call's changes are seen: %#v", got)}
		}
		inner["b"], got.Turns[0].Content, got.Arguments["command"] = 2, "y", "rm"
		return sdk.BeforeToolResult{}, nil
	}
	for range 3 {
		if _, err := c.Hook(t.Context(), HookCall{Point: hookpoint.BeforeToolExecution, Context: in}); err != nil {
			t.Fatal(err)
		}
	}
	if in.Arguments["command"] != "ls" || in.Turns[0].Content != "x" {
		t.Errorf("the caller's own values have changed: %#v", in)
	}
}

// TestTooLargeFailsOneCall sends and returns more than the limit. The connection must survive.
func TestTooLargeFailsOneCall(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", MaxMessage+1)
	impl := &fake{execute: func(_ context.Context, c ToolCall) (string, error) {
		if c.Args["answer"] == "huge" {
			return huge, nil
		}
		return "small", nil
	}}
	c := connect(t, impl)
	rows := []struct {
		name string
		args map[string]any
		want string
	}{
		{"call", map[string]any{"text": huge}, "limit of 64 MiB for one call"},
		{"answer", map[string]any{"answer": "huge"}, "limit of 64 MiB for one answer"},
	}
	for _, row := range rows {
		_, err := c.Execute(t.Context(), ToolCall{Args: row.args})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got error %v, want one with %q", row.name, err, row.want)
		}
		if got, err := c.Execute(t.Context(), ToolCall{}); err != nil || got != "small" {
			t.Errorf("%s: the next call returned %q, %v", row.name, got, err)
		}
	}
}

// TestQuiesceWaitsForRunningCalls starts a call, cancels it, and lets it end.
func TestQuiesceWaitsForRunningCalls(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	impl := &fake{execute: func(ctx context.Context, _ ToolCall) (string, error) {
		close(entered)
		<-leave
		return "", ctx.Err()
	}}
	c := connect(t, impl)
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan error, 1)
	go func() {
		_, err := c.Execute(ctx, ToolCall{})
		returned <- err
	}()
	<-entered
	cancel()
	if err := <-returned; err == nil {
		t.Error("a cancelled call returned no error")
	}
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if c.Quiesce(short) == nil {
		t.Error("quiesce returned while a call was running")
	}
	close(leave)
	if err := c.Quiesce(t.Context()); err != nil {
		t.Errorf("quiesce failed although no call was running: %v", err)
	}
}

// TestFailuresKeepTheirKind sends failures of each kind, with text that is not UTF-8.
func TestFailuresKeepTheirKind(t *testing.T) {
	t.Parallel()
	impl := &fake{}
	c := connect(t, impl)
	for _, kind := range []FailureKind{FailureError, FailurePanic, FailureGoexit, FailureLoad, FailureSize, FailureWire, FailureUnsupported} {
		impl.hook = func(HookCall) (any, error) { return nil, &Failure{Kind: kind, Message: "\xff bad"} }
		_, err := c.Hook(t.Context(), HookCall{Point: hookpoint.BeforeChat, Context: sdk.BeforeChatContext{}})
		var f *Failure
		if !errors.As(err, &f) || f.Kind != kind || f.Message != "\xff bad" {
			t.Errorf("%s: got %#v", kind, err)
		}
	}
	if _, err := c.Hook(t.Context(), HookCall{Point: "NoSuch", Context: sdk.BeforeChatContext{}}); err == nil {
		t.Error("an unknown hook point was called")
	}
	if _, err := c.Hook(t.Context(), HookCall{Point: hookpoint.OnError, Context: sdk.BeforeChatContext{}}); err == nil {
		t.Error("a hook was called with another's context")
	}
	if _, err := c.rpc.Invoke(t.Context(), &wire.Call{Verb: "dance"}); err == nil {
		t.Error("an unknown verb was served")
	}
}

// FuzzServer passes arbitrary bodies to the child's side. It must return an error and never crash.
func FuzzServer(f *testing.F) {
	body, err := encode(toolFrame{Args: map[string]any{"a": 1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("execute", "", body)
	f.Add("hook", "BeforeChat", body)
	f.Add("paths", "", []byte{0xa0})
	f.Fuzz(func(t *testing.T, verb, point string, body []byte) {
		s := &Server{impl: &fake{hook: func(HookCall) (any, error) { return sdk.Result{}, nil }}}
		if verb == verbQuiesce {
			return
		}
		if _, err := s.dispatch(t.Context(), &wire.Call{Verb: verb, Point: point, Body: body}); err == nil && verb == "" {
			t.Error("an empty verb was served")
		}
	})
}
