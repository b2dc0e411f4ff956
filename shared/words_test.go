package shared

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// TestUnsendableValues sends values that cannot be sent over the wire, in both directions. The call must fail with an
// explanation, and the next call must work.
func TestUnsendableValues(t *testing.T) {
	t.Parallel()
	deep := any("deep")
	for range maxNesting {
		deep = []any{deep}
	}
	tests := []struct {
		name        string
		value       any
		there, back string
	}{
		{
			"a channel", make(chan int),
			"sending the call to the plugin: a value of type chan int cannot be sent to another process; use numbers",
			"sending the answer to aura: a value of type chan int cannot be sent to another process; use numbers",
		},
		{
			"a function", func() {},
			"sending the call to the plugin: a value of type func() cannot be sent", "sending the answer to aura: a value of type func() cannot be sent",
		},
		{
			"too deep", deep,
			"reading the call: a value is nested more than 1024 levels deep", "reading the plugin's answer: a value is nested more than 1024 levels deep",
		},
		{
			"a map with other keys",
			map[any]any{1: "a"},
			"reading the call: a value is a positive integer where a string is expected; the keys of maps must be texts",
			"reading the plugin's answer: a value is a positive integer where a string is expected; the keys of maps must be texts",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			impl := &fake{hook: func(c HookCall) (any, error) {
				return sdk.BeforeToolResult{Arguments: c.Context.(sdk.BeforeToolContext).Arguments}, nil
			}}
			c := connect(t, impl)
			call := func(value any) error {
				_, err := c.Hook(t.Context(), HookCall{Point: hookpoint.BeforeToolExecution, Context: sdk.BeforeToolContext{
					Context: sdk.Context{Turns: []sdk.Turn{{Role: "user", Content: "x"}}}, Arguments: map[string]any{"x": value},
				}})
				return err
			}
			saysInWords(t, call(tt.value), tt.there)
			if err := call("fine"); err != nil {
				t.Errorf("the next call fails: %v", err)
			}
			impl.hook = func(HookCall) (any, error) {
				return sdk.BeforeToolResult{Arguments: map[string]any{"x": tt.value}}, nil
			}
			saysInWords(t, call("fine"), tt.back)
		})
	}
}

// TestEndlessAnswers returns values that contain themselves.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	type node struct{ Next *node }
	ring := &node{}
	ring.Next = ring
	themselves := map[string]any{}
	themselves["x"] = []any{themselves}
	for name, value := range map[string]any{"a map": themselves, "pointers": ring} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, &fake{hook: func(HookCall) (any, error) {
				return sdk.BeforeToolResult{Arguments: map[string]any{"x": value}}, nil
			}})
			_, err := c.Hook(t.Context(), HookCall{Point: hookpoint.BeforeToolExecution, Context: sdk.BeforeToolContext{}})
			saysInWords(t, err, "sending the answer to aura: a value holds itself, or is nested more than 1024 levels deep")
		})
	}
}

func saysInWords(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "cbor") || strings.Contains(err.Error(), "rpc") {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
