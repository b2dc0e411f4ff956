// Package conformance checks that a guest speaks the protocol of docs/guests.md. The guest must run the plugin that the page describes, so
// a runtime is checked with that plugin written in its language.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/runtime/guest"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// The names in the plugin.
const (
	toolEmit   = "emit"
	toolFail   = "fail"
	toolWait   = "wait"
	toolPrint  = "print"
	toolLength = "length"
	toolEnv    = "env"
	eventPing  = "conformance:ping"
	eventPong  = "conformance:pong"
	eventValue = "conformance:value"
)

// Check runs the tests against a guest. g must start the guest with the plugin "conformance". env is its environment.
func Check(t *testing.T, g shared.Guest, env []string) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(t *testing.T, r *run)
	}{
		{"what the plugin registers", registers},
		{"exact values", values},
		{"hooks", hooks},
		{"commands", commands},
		{"failures", failures},
		{"events", events},
		{"calls side by side, and cancellation", cancellation},
		{"output beside the frames", output},
		{"a large call and a large answer", large},
		{"variables of a call", variables},
	} {
		t.Run(check.name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, g, env)
			exports, err := r.Load(t.Context())
			if err != nil {
				t.Fatalf("loading the plugin: %v\n%s", err, r.out)
			}
			r.exports = exports
			check.run(t, r)
			r.finish(t)
		})
	}
}

// run is a guest that is being checked, and what it asked.
type run struct {
	*guest.Guest
	exports shared.Exports
	out     *buffer
	ended   chan error

	mu      sync.Mutex
	emitted []string
	values  []any
}

// buffer is a writer that several goroutines use.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func begin(t *testing.T, g shared.Guest, env []string) *run {
	t.Helper()
	r := &run{out: &buffer{}, ended: make(chan error, 1)}
	// Both outputs are one writer, so that they are read by one goroutine, in order.
	started, err := guest.Start(g, guest.Options{Name: "conformance", Dir: t.TempDir(), Services: r}, env, io.Writer(r.out), io.Writer(r.out))
	if err != nil {
		t.Fatal(err)
	}
	r.Guest = started
	go func() { r.ended <- started.Serve() }()
	t.Cleanup(func() {
		started.Kill()
		started.Close()
		if t.Failed() {
			t.Logf("output of the guest:\n%s", r.out)
		}
	})
	return r
}

// finish checks that the guest exits when its input ends.
func (r *run) finish(t *testing.T) {
	t.Helper()
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := <-r.ended; !strings.HasSuffix(err.Error(), "exited with status 0") {
		t.Errorf("after the end of its input, the guest did not exit with status 0: %v", err)
	}
}

// Emit records an event.
func (r *run) Emit(_ context.Context, name string, payload []byte) error {
	value, err := shared.DecodePayload(payload)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emitted, r.values = append(r.emitted, name), append(r.values, value)
	return err
}

// Listen is not used by the plugin.
func (r *run) Listen(context.Context, string) error { return nil }

// Now and Rand are not part of the protocol with guests.
func (*run) Now(context.Context) (time.Time, error) { return time.Now(), nil }

// Rand is described at Now.
func (*run) Rand(context.Context) (uint64, error) { return 0, nil }

// State keeps nothing: a runtime may ask for state that its plugins have not.
func (r *run) State(_ context.Context, q shared.StateRequest) (shared.StateAnswer, error) {
	if q.Op == shared.StateGet || q.Op == shared.StateList {
		return shared.StateAnswer{}, nil
	}
	return shared.StateAnswer{}, errors.New("nothing is kept here")
}

func (r *run) events() ([]string, []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.emitted), slices.Clone(r.values)
}

func (r *run) tool(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	out, err := r.Execute(t.Context(), shared.ToolCall{Tool: name, Args: args})
	if err != nil {
		t.Errorf("tool %s: %v", name, err)
	}
	return out
}

func registers(t *testing.T, r *run) {
	t.Helper()
	var tools []string
	for _, tool := range r.exports.Tools {
		tools = append(tools, tool.Schema.Name)
	}
	slices.Sort(tools)
	for _, row := range []struct {
		what      string
		got, want any
	}{
		{"tools", tools, []string{toolEmit, toolEnv, toolFail, toolLength, toolPrint, toolWait}},
		{"hooks", r.exports.Hooks, []hookpoint.Name{hookpoint.UserMessage, hookpoint.BeforeToolExecution}},
		{"listens", r.exports.Listens, []string{eventPing}},
		{"system prompt", r.exports.SystemPrompt, "This is a conformance test."},
		{"commands", len(r.exports.Commands), 1},
	} {
		if !reflect.DeepEqual(row.got, row.want) {
			t.Errorf("%s: got %v, want %v", row.what, row.got, row.want)
		}
	}
}

// values sends values that JSON cannot represent, and gets them back.
func values(t *testing.T, r *run) {
	t.Helper()
	sent := []any{
		nil, true, 0, -1, math.MaxInt64, math.MinInt64, uint64(math.MaxUint64), 1.0, -0.5, 1e300, math.Inf(1), math.Inf(-1), "", "ä😀\x00\"\\", "\xff\xfe",
		[]byte{},
		[]byte{0, 255},
		[]any{},
		[]any{1, 1.0, "x", nil},
		map[string]any{},
		map[string]any{"a": map[string]any{"b": []any{2.0}}},
		map[string]any{"$float": "NaN"},
		map[string]any{"$x": 1, "y": 2},
		map[string]any{"\xff": 1},
	}
	for _, value := range sent {
		payload, err := shared.EncodePayload(value)
		if err == nil {
			err = r.Event(t.Context(), shared.EventCall{Name: eventPing, Sender: "tests", Payload: payload})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, value := range sent {
		r.tool(t, toolEmit, map[string]any{"value": value})
	}
	names, got := r.events()
	if len(got) != 2*len(sent) || names[0] != eventPong || names[len(sent)] != eventValue {
		t.Fatalf("got %d events %v, want %d %s and as many %s", len(got), names, len(sent), eventPong, eventValue)
	}
	for i := range sent {
		if !reflect.DeepEqual(got[i], sent[i]) {
			t.Errorf("got %#v, want %#v", got[i], sent[i])
		}
		if value := got[len(sent)+i]; !reflect.DeepEqual(whole(value), whole(sent[i])) {
			t.Errorf("as an argument: got %#v, want %#v", value, sent[i])
		}
	}
}

// whole returns a value whose numbers without a fraction are integers. A guest may read them so in the arguments of a tool, because JSON has
// one kind of number.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
			return int(v)
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = whole(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = whole(e)
		}
		return out
	}
	return v
}

func hooks(t *testing.T, r *run) {
	t.Helper()
	text := "UP"
	for _, row := range []struct {
		point hookpoint.Name
		in    any
		want  any
	}{
		{
			hookpoint.BeforeToolExecution,
			sdk.BeforeToolContext{ToolName: "forbidden", Arguments: map[string]any{"a": 1}},
			sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "no"}},
		},
		{hookpoint.BeforeToolExecution, sdk.BeforeToolContext{ToolName: "other"}, sdk.BeforeToolResult{}},
		{hookpoint.UserMessage, sdk.UserMessageContext{Content: "up"}, sdk.UserMessageResult{Content: &text}},
	} {
		got, err := r.Hook(t.Context(), shared.HookCall{Point: row.point, Context: row.in})
		if err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %+v, %v, want %+v", row.point, got, err, row.want)
		}
	}
}

func commands(t *testing.T, r *run) {
	t.Helper()
	got, err := r.Command(t.Context(), shared.CommandCall{Name: "shout", Args: "hello you"})
	if err != nil || got.Output != "HELLO YOU" {
		t.Errorf("got %q, %v", got.Output, err)
	}
}

func failures(t *testing.T, r *run) {
	t.Helper()
	for _, row := range []struct {
		what string
		call func() error
		kind shared.FailureKind
		text string
	}{
		{"a tool that fails", func() error {
			_, err := r.Execute(t.Context(), shared.ToolCall{Tool: toolFail, Args: map[string]any{"message": "no luck"}})
			return err
		}, shared.FailureError, "no luck"},
		{"an unknown tool", func() error {
			_, err := r.Execute(t.Context(), shared.ToolCall{Tool: "nothing"})
			return err
		}, shared.FailureUnsupported, "nothing"},
		{"an unknown command", func() error {
			_, err := r.Command(t.Context(), shared.CommandCall{Name: "nothing"})
			return err
		}, shared.FailureUnsupported, "nothing"},
	} {
		err := row.call()
		failure, ok := errors.AsType[*shared.Failure](err)
		if !ok || failure.Kind != row.kind || !strings.Contains(failure.Message, row.text) {
			t.Errorf("%s: got %v, want a failure of kind %q with %q in it", row.what, err, row.kind, row.text)
		}
	}
	if got := r.tool(t, toolLength, map[string]any{"text": "abc"}); got != "3" {
		t.Errorf("after failures: got %q", got)
	}
}

func events(t *testing.T, r *run) {
	t.Helper()
	for i := range 10 {
		payload, err := shared.EncodePayload(i)
		if err == nil {
			err = r.Event(t.Context(), shared.EventCall{Name: eventPing, Sender: "tests", Payload: payload})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	names, got := r.events()
	for i := range 10 {
		if len(got) <= i || names[i] != eventPong || got[i] != i {
			t.Fatalf("got %v %v, want ten %s in order", names, got, eventPong)
		}
	}
}

func cancellation(t *testing.T, r *run) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan string, 1)
	go func() {
		out, err := r.Execute(ctx, shared.ToolCall{Tool: toolWait})
		answered <- fmt.Sprint(out, err)
	}()
	// The first call waits, or has not begun yet: the second is answered in both cases.
	if got := r.tool(t, toolLength, map[string]any{"text": "abcd"}); got != "4" {
		t.Errorf("while another call waits: got %q", got)
	}
	cancel()
	if got := <-answered; got != "cancelled<nil>" {
		t.Errorf("the cancelled call returned %s", got)
	}
	// A cancellation may arrive after the answer.
	done, cancelled := context.WithCancel(t.Context())
	cancelled()
	_, _ = r.Execute(done, shared.ToolCall{Tool: toolLength, Args: map[string]any{"text": ""}})
	if got := r.tool(t, toolLength, map[string]any{"text": "abcde"}); got != "5" {
		t.Errorf("after a cancellation: got %q", got)
	}
}

func output(t *testing.T, r *run) {
	t.Helper()
	r.tool(t, toolPrint, map[string]any{"text": "printed by the plugin"})
	if got := r.tool(t, toolLength, map[string]any{"text": "ab"}); got != "2" {
		t.Errorf("after printing: got %q", got)
	}
	t.Cleanup(func() {
		if !strings.Contains(r.out.String(), "printed by the plugin") {
			t.Errorf("the output of the guest is %q", r.out)
		}
	})
}

func large(t *testing.T, r *run) {
	t.Helper()
	const size = 4 << 20
	if got := r.tool(t, toolLength, map[string]any{"text": strings.Repeat("x", size)}); got != fmt.Sprint(size) {
		t.Errorf("got %q, want %d", got, size)
	}
	text := strings.Repeat("y", size)
	got, err := r.Command(t.Context(), shared.CommandCall{Name: "shout", Args: text})
	if err != nil || len(got.Output) != size {
		t.Errorf("got %d bytes, %v, want %d", len(got.Output), err, size)
	}
}

func variables(t *testing.T, r *run) {
	t.Helper()
	out, err := r.Execute(t.Context(), shared.ToolCall{Tool: toolEnv, Args: map[string]any{"name": "TASK"}, Env: map[string]string{"TASK": "build"}})
	if err != nil || out != "build" {
		t.Errorf("got %q, %v", out, err)
	}
}
