package conversation_test

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func TestDisableTools(t *testing.T) {
	t.Parallel()
	once := func(point hookpoint.Name, patterns ...string) hooks {
		done := false
		return hooks{point: {{"p", func(any) (any, error) {
			if done {
				return nil, nil
			}
			done = true
			r := sdk.Result{DisableTools: patterns}
			if point == hookpoint.BeforeToolExecution {
				return sdk.BeforeToolResult{Result: r}, nil
			}
			return r, nil
		}}}}
	}
	tests := []struct {
		name  string
		hooks hooks
		want  []string
	}{
		{"before the call", once(hookpoint.BeforeChat, "W*"), []string{"Read", "Read Write", "Read Write"}},
		{"all", once(hookpoint.BeforeChat, "*"), []string{"", "Read Write", "Read Write"}},
		{"after the response", once(hookpoint.AfterResponse, "Write"), []string{"Read Write", "Read", "Read Write"}},
		{"before a tool", once(hookpoint.BeforeToolExecution, "Write"), []string{"Read Write", "Read", "Read Write"}},
		{"after a tool", once(hookpoint.AfterToolExecution, "Write"), []string{"Read Write", "Read", "Read Write"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: tt.hooks, tools: []tool.Tool{echo("Read"), echo("Write")}},
				calls("", `Read {"path":"x"}`), calls("", `Read {"path":"x"}`), text("end"))
			b.send(t, "go")
			var got []string
			for i := range b.model.requests {
				got = append(got, b.offered(i+1))
			}
			same(t, "offered", got, tt.want)
		})
	}
}

func TestDisabledToolDoesNotRun(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: on(hookpoint.BeforeChat, sdk.Result{DisableTools: []string{"Read"}}), tools: []tool.Tool{echo("Read")}},
		calls("", `Read {"path":"x"}`), text("end"))
	b.send(t, "go")
	same(t, "result", b.sent(t, 2)[2], `tool:Error: the call did not run: tool "Read" is not available at the moment`)
	if got := b.Stats().ToolCalls; got != 0 {
		t.Errorf("%d calls ran", got)
	}
}
