package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// TestCallsThatDidNotRun checks that plugins see every call after it, whatever kept it from running, and extensions before it, too.
func TestCallsThatDidNotRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		call, want string
		// by is who refused the call, as its event names it.
		by       string
		byPlugin bool
	}{
		"unknown tool":        {call: `Nope {}`, want: `there is no tool "Nope"`},
		"invalid arguments":   {call: `Read {"path":1}`, want: `invalid arguments: field "path" must be string, not number`},
		"malformed arguments": {call: `Read [1]`, want: "its arguments are not a JSON object"},
		"blocked":             {`Read {"path":"blocked"}`, "blocked by p: no", "plugin p", true},
		"denied":              {call: `Read {"path":"denied"}`, want: "the policy denies it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before, after []string
			b := start(t, options{change: func(c *conversation.Config) {
				c.Guard = denying("denied")
				c.Hooks = aarHooks{both(
					when(hookpoint.BeforeToolExecution, func(c sdk.BeforeToolContext) (any, error) {
						before = append(before, c.ToolName)
						return sdk.BeforeToolResult{Block: c.Arguments["path"] == "blocked", Result: message("no")}, nil
					}),
					when(hookpoint.AfterToolExecution, func(c sdk.AfterToolContext) (any, error) {
						after = append(after, c.ToolName+" "+c.ToolError)
						return nil, nil
					}),
				)}
			}, tools: []tool.Tool{echo("Read")}}, calls("", tt.call), text("end"))
			b.send(t, "go")
			if len(before) != 1 || len(after) != 1 || !strings.Contains(after[0], "the call did not run: "+tt.want) {
				t.Errorf("before the call %q, after it %q", before, after)
			}
			if got := only[event.ToolResult](b); len(got) != 1 || got[0].RefusedBy != tt.by || got[0].ByPlugin != tt.byPlugin {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// aarHooks are plugins to which the rules of Aar apply.
type aarHooks struct{ hooks }

type aarPlugin struct{ pipeline.Handler }

func (aarPlugin) Extension() bool { return true }

func (a aarHooks) Handlers(point hookpoint.Name) []pipeline.Handler {
	out := a.hooks.Handlers(point)
	for i := range out {
		out[i] = aarPlugin{out[i]}
	}
	return out
}

// denying is a guard that denies the calls with a path.
type denying string

func (d denying) Before(_ context.Context, call tool.Call, _ tool.Tool) (string, error) {
	if call.Args["path"] == string(d) {
		return "", errors.New("the policy denies it")
	}
	return "", nil
}

func (denying) After(context.Context, tool.Call, tool.Tool, string, error) string { return "" }

// TestExtensionBlocksAnUnknownTool checks that the reason of an extension is the one that the model gets.
func TestExtensionBlocksAnUnknownTool(t *testing.T) {
	t.Parallel()
	b := start(t, options{change: func(c *conversation.Config) {
		c.Hooks = aarHooks{on(hookpoint.BeforeToolExecution, sdk.BeforeToolResult{Block: true, Result: message("never")})}
	}},
		calls("", `Nope {}`), text("end"))
	b.send(t, "go")
	same(t, "result", b.sent(t, 2)[2], "tool:Error: the call did not run: blocked by p: never")
}
