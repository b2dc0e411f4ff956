package interp

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestOwnTypesAsValues returns values of types with methods where the SDK expects any, and checks that they arrive unwrapped.
func TestOwnTypesAsValues(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

type level int

func (l level) String() string { return "a level" }

type word string

func (w word) Loud() word { return w + "!" }

type pair struct{ Left, Right int }

func (p pair) Sum() int { return p.Left + p.Right }

var kept = map[string]any{"level": level(2), "deep": []any{word("in").Loud(), map[string]any{"w": word("most")}, nil, 1}}

func BeforeToolExecution(context.Context, sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	if s, ok := kept["level"].(fmt.Stringer); !ok || s.String() != "a level" {
		panic("what the plugin keeps was changed")
	}
	return sdk.BeforeToolResult{Arguments: kept}, nil
}

func TransformMessages(context.Context, sdk.TransformContext) ([]sdk.Message, error) {
	return []sdk.Message{{ToolCalls: []sdk.MessageToolCall{{Arguments: map[string]any{"pair": pair{1, 2}}}}}}, nil
}

func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{Name: "T", Parameters: sdk.ToolParameters{Properties: map[string]sdk.ToolProperty{
		"w": {Type: "string", Enum: []any{word("x"), "y"}},
	}}}
}

func Execute(context.Context, sdk.Context, map[string]any) (string, error) { return "", nil }
`)
	if got, want := p.exports.Tools[0].Schema.Parameters.Properties["w"].Enum, []any{"x", "y"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the schema has %#v, want %#v", got, want)
	}
	want := map[string]any{"level": 2, "deep": []any{"in!", map[string]any{"w": "most"}, nil, 1}}
	for range 2 {
		out, err := p.Hook(context.Background(), shared.HookCall{Point: "BeforeToolExecution", Context: sdk.BeforeToolContext{}})
		if got, _ := out.(sdk.BeforeToolResult); err != nil || !reflect.DeepEqual(got.Arguments, want) {
			t.Errorf("the arguments are %#v, want %#v (%v)", got.Arguments, want, err)
		}
	}
	out, err := p.Hook(context.Background(), shared.HookCall{Point: "TransformMessages", Context: sdk.TransformContext{}})
	got, _ := out.([]sdk.Message)
	if err != nil || len(got) != 1 || fmt.Sprintf("%+v", got[0].ToolCalls[0].Arguments["pair"]) != "{Left:1 Right:2}" {
		t.Errorf("the messages are %+v (%v)", got, err)
	}
}
