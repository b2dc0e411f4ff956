//go:build !race

package guest

import (
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestLargeCalls checks that a call over the limit is sent without its lists, and fails if it is still too large.
func TestLargeCalls(t *testing.T) {
	t.Parallel()
	var frame map[string]any
	f := guestOf(t, Options{}, func(in map[string]any) []string { frame = in; return constant(`"result":null`)(in) })
	large := strings.Repeat("\x01", shared.MaxMessage/6+1) // six bytes each in JSON
	in := sdk.BeforeToolContext{Context: sdk.Context{Agent: "a", Turns: []sdk.Turn{{Content: large}}}, ToolName: "t"}
	if _, err := f.client.Hook(t.Context(), shared.HookCall{Point: hookpoint.BeforeToolExecution, Context: in}); err != nil {
		t.Fatal(err)
	}
	if c, _ := frame["context"].(map[string]any)["Context"].(map[string]any); c["Turns"] != nil || c["Agent"] != "a" || in.Turns == nil {
		t.Errorf("got %.200v", frame)
	}
	_, err := f.client.Execute(t.Context(), shared.ToolCall{Args: map[string]any{"a": large}})
	if failure, ok := errors.AsType[*shared.Failure](err); !ok || failure.Kind != shared.FailureSize {
		t.Errorf("got %v", err)
	}
}
