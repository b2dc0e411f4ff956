package shared

import (
	"fmt"
	"slices"
	"testing"

	"github.com/idelchi/aura/sdk"
)

// TestCopies checks which parts of a history are copied for a plugin, depending on what the plugin could change.
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		touched           []string
		turns, list, args bool
	}{
		{nil, false, false, false},
		{[]string{"Turns"}, true, false, false},
		{[]string{"ToolHistory"}, false, true, false},
		{[]string{"Args"}, false, false, false},
		{[]string{"ToolHistory", "Args"}, false, true, true},
	} {
		t.Run(fmt.Sprint(tt.touched), func(t *testing.T) {
			t.Parallel()
			out, in := newSender(), &receiver{}
			history := sdk.Context{
				Turns:       []sdk.Turn{{Content: "x"}},
				ToolHistory: []sdk.ToolCall{{Name: "Ls", Args: map[string]any{"a": "x", "deep": map[string]any{"b": "x"}, "list": []any{"x"}}}},
			}
			receive := func() sdk.Context {
				frame, ack := out.pack(history)
				got, err := in.unpack(frame, func(field string) bool { return slices.Contains(tt.touched, field) })
				if err != nil {
					t.Fatal(err)
				}
				ack(true)
				return got
			}
			first := receive()
			first.Turns[0].Content, first.ToolHistory[0].Name = "y", "y"
			args := first.ToolHistory[0].Args
			args["a"], args["deep"].(map[string]any)["b"], args["list"].([]any)[0] = "y", "y", "y"
			second := receive()
			call := second.ToolHistory[0]
			if kept := second.Turns[0].Content == "x"; kept != tt.turns {
				t.Errorf("the turns are a copy: %v", kept)
			}
			if kept := call.Name == "Ls"; kept != tt.list {
				t.Errorf("the tool calls are a copy: %v", kept)
			}
			for what, value := range map[string]any{
				"argument": call.Args["a"], "map": call.Args["deep"].(map[string]any)["b"], "list": call.Args["list"].([]any)[0],
			} {
				if kept := value == "x"; kept != tt.args {
					t.Errorf("the %s is a copy: %v", what, kept)
				}
			}
		})
	}
}
