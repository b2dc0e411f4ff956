package conversation_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func TestToolResults(t *testing.T) {
	t.Parallel()
	broken := newTool("Broken", false, func(context.Context, tool.Call) (string, error) { return "", errors.New("no luck") })
	half := newTool("Half", false, func(context.Context, tool.Call) (string, error) { return "part\n", errors.New("exit status 1") })
	panics := newTool("Panics", false, func(context.Context, tool.Call) (string, error) { panic("ouch") })
	binary := newTool("Binary", false, func(context.Context, tool.Call) (string, error) { return "a\xffb", nil })
	hidden := fake{&fakeTool{Definition: tool.Definition{Name: "Hidden", OptIn: true}}}
	const refused = "tool:Error: the call did not run: "
	tests := []struct {
		name, call, want string
		ran, failed      bool
	}{
		{"success", `Read {"path":"x"}`, "tool:Read:x", true, false},
		{"failure", `Broken {"path":"x"}`, "tool:Error: no luck", true, true},
		{"failure with output", `Half {"path":"x"}`, "tool:part\n\nError: exit status 1", true, true},
		{"panic", `Panics {"path":"x"}`, "tool:Error: running Panics: panic: ouch", true, true},
		{"invalid UTF-8", `Binary {"path":"x"}`, "tool:a\uFFFDb", true, false},
		{"malformed arguments", `Read {"path":`, refused + "its arguments are not a JSON object: unexpected end of JSON input", false, true},
		{"arguments of another type", `Read [1]`, refused + "its arguments are not a JSON object: json: cannot unmarshal array into Go value of type map[string]interface {}", false, true},
		{"no arguments where some are due", `Read`, refused + `invalid arguments: missing required field "path"`, false, true},
		{"null", `Read null`, refused + `invalid arguments: missing required field "path"`, false, true},
		{"all problems at once", `Read {"x":1}`, refused + `invalid arguments: missing required field "path"; unknown field "x"`, false, true},
		{"unknown tool", `Nope {}`, refused + `there is no tool "Nope"`, false, true},
		{"opt-in tool", `Hidden {}`, refused + `there is no tool "Hidden"`, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{tools: []tool.Tool{echo("Read"), broken, half, panics, binary, hidden}}, calls("", tt.call), text("end"))
			b.send(t, "go")
			same(t, "result", b.sent(t, 2)[2], tt.want)
			got := only[event.ToolResult](b)[0]
			if got.Ran != tt.ran || (got.Error != "") != tt.failed || "tool:"+got.Content != tt.want || len(only[event.ToolCall](b)) != 1 {
				t.Errorf("events: %+v", got)
			}
			stats := b.Stats()
			if (stats.ToolCalls == 1) != tt.ran || (stats.ToolErrors == 1) != (tt.ran && tt.failed) {
				t.Errorf("stats: %+v", stats)
			}
			if history := b.Context().ToolHistory; len(history) != 1 || (history[0].Error != "") != tt.failed {
				t.Errorf("history: %+v", history)
			}
			for _, e := range b.events {
				if _, err := event.Encode(e, event.Stamp{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestBeforeToolExecution(t *testing.T) {
	t.Parallel()
	say := func(r sdk.BeforeToolResult) hooks { return on(hookpoint.BeforeToolExecution, r) }
	closed := hooks{hookpoint.BeforeToolExecution: {{"guard", func(any) (any, error) {
		return sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "guard is down"}}, errors.New("crashed")
	}}}}
	tests := []struct {
		name  string
		hooks hooks
		// after holds what follows the call in the second request.
		after []string
		ran   bool
	}{
		{"nothing", say(sdk.BeforeToolResult{}), []string{"tool:Read:x"}, true},
		{"arguments", say(sdk.BeforeToolResult{Arguments: map[string]any{"path": "y"}}), []string{"tool:Read:y"}, true},
		{"message", say(sdk.BeforeToolResult{Result: message("note")}), []string{"tool:Read:x", "user:note"}, true},
		{
			"block", say(sdk.BeforeToolResult{Block: true}),
			[]string{"tool:Error: the call did not run: blocked by p"},
			false,
		},
		{
			"block with a message, which is not injected", say(sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "forbidden", Prefix: "[p] "}}),
			[]string{"tool:Error: the call did not run: blocked by p: [p] forbidden"},
			false,
		},
		{
			"block wins over arguments", say(sdk.BeforeToolResult{Block: true, Arguments: map[string]any{"path": 1}}),
			[]string{"tool:Error: the call did not run: blocked by p"},
			false,
		},
		{
			"a guard that is down blocks", closed,
			[]string{"tool:Error: the call did not run: blocked by guard: guard is down"},
			false,
		},
		{
			"arguments that do not fit, whose message is not injected",
			say(sdk.BeforeToolResult{Arguments: map[string]any{"path": 1, "x": 2}, Result: message("note")}),
			[]string{`tool:Error: the call did not run: plugin p changed its arguments: invalid arguments: field "path" must be string, not number; unknown field "x"`},
			false,
		},
		{
			"arguments that are no JSON", say(sdk.BeforeToolResult{Arguments: map[string]any{"path": make(chan int)}}),
			[]string{"tool:Error: the call did not run: plugin p changed its arguments: json: unsupported type: chan int"},
			false,
		},
		{
			"empty arguments replace", say(sdk.BeforeToolResult{Arguments: map[string]any{}}),
			[]string{`tool:Error: the call did not run: plugin p changed its arguments: invalid arguments: missing required field "path"`},
			false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: tt.hooks, tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`), text("end"))
			b.send(t, "go")
			same(t, "after the call", b.sent(t, 2)[2:], tt.after)
			if got := b.Stats().ToolCalls == 1; got != tt.ran {
				t.Errorf("ran: %v", got)
			}
		})
	}
}

func TestBeforeToolExecutionSeesTheCall(t *testing.T) {
	t.Parallel()
	var seen []sdk.BeforeToolContext
	b := start(t, options{hooks: when(hookpoint.BeforeToolExecution, func(c sdk.BeforeToolContext) (any, error) {
		seen = append(seen, c)
		c.Arguments["path"] = "vandalised"
		return nil, errors.New("boom")
	}), tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`, `Nope {}`, `Read {"path":1}`), text("end"))
	b.send(t, "go")
	if len(seen) != 1 || seen[0].ToolName != "Read" {
		t.Fatalf("asked for %+v", seen)
	}
	same(t, "result", b.sent(t, 2)[2], "tool:Read:x")
	same(t, "errors", only[event.PluginError](b), []event.PluginError{{Plugin: "p", Point: "BeforeToolExecution", Error: "boom"}})
}

func TestToolsSeeJSONTypes(t *testing.T) {
	t.Parallel()
	var got any
	counts := fake{&fakeTool{
		Definition: tool.Definition{Name: "Count", Parameters: []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		run:        func(_ context.Context, call tool.Call) (string, error) { got = call.Args["n"]; return "", nil },
	}}
	b := start(t, options{hooks: on(hookpoint.BeforeToolExecution, sdk.BeforeToolResult{Arguments: map[string]any{"n": 7}}), tools: []tool.Tool{counts}},
		calls("", `Count {"n":1}`), text("end"))
	b.send(t, "go")
	same(t, "n", got, 7.0)
	same(t, "event", string(only[event.ToolCall](b)[0].Arguments), `{"n":7}`)
}

func TestAfterToolExecution(t *testing.T) {
	t.Parallel()
	const last = `Error: the call did not run: there is no tool "Nope"`
	tests := []struct {
		name   string
		result sdk.Result
		after  []string
	}{
		{"nothing", sdk.Result{}, []string{"tool:Read:x", "tool:Error: no luck", "tool:" + last}},
		{"output", sdk.Result{Output: new("clean")}, []string{"tool:clean", "tool:clean\n\nError: no luck", "tool:clean\n\n" + last}},
		{"empty output", sdk.Result{Output: new("")}, []string{"tool:", "tool:Error: no luck", "tool:" + last}},
		{"an error of the plugin", sdk.Result{Output: new("Error: see the log")}, []string{"tool:Error: see the log", "tool:Error: see the log", "tool:Error: see the log"}},
		{"message after all results", message("note"), []string{"tool:Read:x", "tool:Error: no luck", "tool:" + last, "user:note", "user:note", "user:note"}},
		{"notice", sdk.Result{Notice: "look", Message: "m"}, []string{"tool:Read:x", "tool:Error: no luck", "tool:" + last}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen []sdk.AfterToolContext
			broken := newTool("Broken", false, func(context.Context, tool.Call) (string, error) { return "", errors.New("no luck") })
			b := start(t, options{hooks: when(hookpoint.AfterToolExecution, func(c sdk.AfterToolContext) (any, error) {
				seen = append(seen, c)
				return tt.result, nil
			}), tools: []tool.Tool{writing{echo("Read")}, broken}}, calls("", `Read {"path":"x"}`, `Broken {"path":"x"}`, `Nope {}`), text("end"))
			b.send(t, "go")
			same(t, "after the calls", b.sent(t, 2)[2:], tt.after)
			if len(seen) != 3 || seen[0].ToolResult != "Read:x" || seen[0].ToolError != "" || seen[1].ToolError != "no luck" {
				t.Fatalf("asked with %+v", seen)
			}
			if !slices.Equal(seen[0].Written, []string{"/x"}) || seen[1].Written != nil || seen[2].Written != nil {
				t.Errorf("written: %q, %q, %q", seen[0].Written, seen[1].Written, seen[2].Written)
			}
			if c := seen[2]; c.ToolName != "Nope" || c.ToolResult != "" || "Error: "+c.ToolError != last {
				t.Errorf("a call that did not run: %+v", c)
			}
			if h := seen[0].ToolHistory; len(h) != 1 || h[0].Result != "Read:x" {
				t.Errorf("the call is not the last of the history: %+v", h)
			}
			shown := "Read:x"
			if tt.result.Output != nil {
				shown = *tt.result.Output
			}
			if h := seen[1].ToolHistory; len(h) != 2 || h[0].Result != shown || h[1].Error != "no luck" {
				t.Errorf("the history does not have what the model saw: %+v", h)
			}
			if h := seen[2].ToolHistory; len(h) != 3 || resultText(h[1]) != strings.TrimPrefix(tt.after[1], "tool:") {
				t.Errorf("the failed call does not have what the model saw: %+v", h)
			}
			if h := seen[0].ToolHistory; h[0].Result != "Read:x" {
				t.Errorf("an earlier snapshot of the history has changed: %+v", h)
			}
		})
	}
}

// writing is a tool that reports a file that it wrote.
type writing struct{ tool.Tool }

func (w writing) Execute(ctx context.Context, call tool.Call) (string, error) {
	call.WrotePaths([]string{"/x"})
	return w.Tool.Execute(ctx, call)
}

// resultText returns what the model saw of a call, by its entry in the history.
func resultText(call sdk.ToolCall) string {
	parts := []string{call.Result, "Error: " + call.Error}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "Error: " }), "\n\n")
}

func TestInjectionsStandInOrderAfterTheResults(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: both(
		when(hookpoint.AfterResponse, func(c sdk.AfterResponseContext) (any, error) {
			if c.Iteration > 1 {
				return nil, nil
			}
			return message("response"), nil
		}),
		when(hookpoint.BeforeToolExecution, func(c sdk.BeforeToolContext) (any, error) {
			return sdk.BeforeToolResult{Result: message("before " + c.Arguments["path"].(string))}, nil
		}),
		when(hookpoint.AfterToolExecution, func(c sdk.AfterToolContext) (any, error) { return message("after " + c.ToolResult), nil }),
	), tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`, `Read {"path":"y"}`), text("end"))
	b.send(t, "go")
	same(t, "request", b.sent(t, 2), []string{
		"user:go", "assistant:+Read+Read", "tool:Read:x", "tool:Read:y",
		"user:response", "user:before x", "user:after Read:x", "user:before y", "user:after Read:y",
	})
}

func TestParallelToolsRunSideBySide(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup
	together.Add(3)
	meet := newTool("Meet", true, func(_ context.Context, call tool.Call) (string, error) {
		together.Done()
		together.Wait()
		return call.Args["path"].(string), nil
	})
	b := start(t, options{tools: []tool.Tool{meet}},
		calls("", `Meet {"path":"a"}`, `Nope {}`, `Meet {"path":"b"}`, `Meet {"path":"c"}`), text("end"))
	b.send(t, "go")
	same(t, "results", b.sent(t, 2)[2:], []string{"tool:a", `tool:Error: the call did not run: there is no tool "Nope"`, "tool:b", "tool:c"})
}

func TestOtherToolsRunAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var log []string
	note := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, what)
	}
	running := func(name string, parallel bool) tool.Tool {
		return newTool(name, parallel, func(_ context.Context, call tool.Call) (string, error) {
			note("run " + call.Args["path"].(string))
			return "", nil
		})
	}
	b := start(t, options{hooks: both(
		when(hookpoint.BeforeToolExecution, func(c sdk.BeforeToolContext) (any, error) {
			note("before " + c.Arguments["path"].(string))
			return nil, nil
		}),
		when(hookpoint.AfterToolExecution, func(c sdk.AfterToolContext) (any, error) {
			note("after " + c.ToolHistory[len(c.ToolHistory)-1].Args["path"].(string))
			return nil, nil
		}),
	), tools: []tool.Tool{running("Write", false), running("Read", true)}},
		calls("", `Write {"path":"1"}`, `Write {"path":"2"}`, `Read {"path":"3"}`, `Write {"path":"4"}`), text("end"))
	b.send(t, "go")
	same(t, "order", strings.Join(log, ", "),
		"before 1, run 1, after 1, before 2, run 2, after 2, before 3, run 3, after 3, before 4, run 4, after 4")
}

func TestCallIdentifiersAreUnique(t *testing.T) {
	t.Parallel()
	twins := func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		call := llm.ToolCall{ID: "x", Name: "Read", Arguments: []byte(`{"path":"p"}`)}
		nameless := call
		nameless.ID = ""
		return llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{call, call, nameless}}}, nil
	}
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, twins, twins, text("end"))
	b.send(t, "go")
	seen := map[string]bool{}
	results := 0
	for _, m := range b.model.requests[2].Messages {
		for _, call := range m.ToolCalls {
			if call.ID == "" || seen[call.ID] {
				t.Errorf("identifier %q is not unique", call.ID)
			}
			seen[call.ID] = true
		}
		if m.Role == llm.RoleTool {
			results++
			if !seen[m.ToolCallID] {
				t.Errorf("result of unknown call %q", m.ToolCallID)
			}
		}
	}
	if len(seen) != 6 || results != 6 || !seen["x"] {
		t.Errorf("calls %v, %d results", seen, results)
	}
}

func TestToolIsToldTheState(t *testing.T) {
	t.Parallel()
	var got sdk.Context
	look := newTool("Look", true, func(_ context.Context, call tool.Call) (string, error) { got = call.Context; return "", nil })
	b := start(t, options{tools: []tool.Tool{look}}, calls("", `Look {"path":"x"}`), text("end"))
	b.send(t, "go")
	if got.Iteration != 1 || !got.HasToolCalls || got.Agent != "tester" || got.Workdir != "somewhere" || got.MessageCount != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestSetTools(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, text("a"), text("b"))
	b.send(t, "one")
	registry, err := tool.NewRegistry(echo("Other"))
	if err != nil {
		t.Fatal(err)
	}
	b.SetTools(registry)
	same(t, "available", b.Context().AvailableTools, []string{"Other"})
	b.send(t, "two")
	same(t, "offered", b.offered(1)+" "+b.offered(2), "Read Other")
}

func TestToolsReplacedInMidTurn(t *testing.T) {
	t.Parallel()
	fresh, err := tool.NewRegistry(echo("Other"))
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, nil, text("end"))
	b.model.replies[0] = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		b.SetTools(fresh)
		return calls("", `Read {"path":"x"}`)(ctx, req, delta)
	}
	b.send(t, "go")
	same(t, "the turn keeps its tools", b.sent(t, 2)[2], "tool:Read:x")
	same(t, "the next one has the new", b.offered(2), "Other")
}
