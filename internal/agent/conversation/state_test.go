package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// TestEveryFieldOfTheState sets all fields. The host sets PluginConfig, and the provider has no prices for CostUSD.
func TestEveryFieldOfTheState(t *testing.T) {
	t.Parallel()
	var list todo.List
	if err := list.Set([]todo.Item{{Content: "a"}, {Content: "b", Status: todo.InProgress}}); err != nil {
		t.Fatal(err)
	}
	around := conversation.Surroundings{
		Features:     sdk.FeatureState{Sandbox: true, ReadBeforeWrite: true, ShowThinking: true},
		SessionTitle: "title", LoadedTools: []string{"Late"}, MCPServers: []string{"files"}, Vars: map[string]string{"x": "y"},
	}
	b := start(t, options{system: "sys", tools: []tool.Tool{echo("Write")}, change: func(cfg *conversation.Config) {
		cfg.Mode, cfg.Think, cfg.Auto, cfg.Done, cfg.Todos = "edit", llm.ThinkLow, true, true, &list
		cfg.Compaction = &conversation.Compaction{Threshold: 80}
		cfg.Surroundings = func() conversation.Surroundings { return around }
	}}, calls("", `Write {"path":"x"}`), fails("server", "x"))
	if err := b.Send(t.Context(), "go"); err == nil {
		t.Fatal("nothing failed")
	}
	state := b.Context()
	v := reflect.ValueOf(state)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() && name != "PluginConfig" && name != "ResponseEmpty" && name != "CostUSD" {
			t.Errorf("%s is not told", name)
		}
	}
	if !state.Features.CompactionEnabled || !state.Features.Sandbox || !state.Features.ReadBeforeWrite || !state.Features.ShowThinking {
		t.Errorf("features %+v", state.Features)
	}
	same(t, "vars", state.Vars, map[string]string{"x": "y"})
	state.LoadedTools[0], state.MCPServers[0] = "changed", "changed"
	same(t, "the caller's own", []string{around.LoadedTools[0], around.MCPServers[0]}, []string{"Late", "files"})
}

func TestThinkMode(t *testing.T) {
	t.Parallel()
	for think, want := range map[llm.Think]string{
		"": "off", llm.ThinkOff: "off", llm.ThinkOn: "medium", llm.ThinkLow: "low", llm.ThinkMedium: "medium", llm.ThinkHigh: "high",
	} {
		b := start(t, options{change: func(cfg *conversation.Config) { cfg.Think = think }}, text("ok"))
		if got := b.Context().ThinkMode; got != want {
			t.Errorf("%q is told as %q", think, got)
		}
	}
}

func TestPatchCounts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("project")
	if err != nil {
		t.Fatal(err)
	}
	loose := func(name string, fail bool) tool.Tool {
		return fake{&fakeTool{
			Definition: tool.Definition{Name: name, Parameters: []byte(`{"type":"object"}`)},
			run: func(context.Context, tool.Call) (string, error) {
				if fail {
					return "", errors.New("no")
				}
				return "", nil
			},
		}}
	}
	absolute := filepath.ToSlash(filepath.Join(root, "a.go"))
	const patch = `*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Update File: ./a.go\n*** Add File: sub/b.go\n+z\n*** Delete File: c.go\n*** End Patch`
	tests := []struct {
		name string
		call string
		fail bool
		want map[string]int
	}{
		{"write", `Write {"path":"a.go","content":""}`, false, map[string]int{"a.go": 1}},
		{"edit", `Edit {"path":"sub/../a.go","old":"x","new":"y"}`, false, map[string]int{"a.go": 1}},
		{"absolute", `Edit {"path":"` + absolute + `"}`, false, map[string]int{"a.go": 1}},
		{"patch, each file once", `Patch {"patch":"` + patch + `"}`, false, map[string]int{"a.go": 1, "sub/b.go": 1}},
		{"failed", `Write {"path":"a.go"}`, true, map[string]int{}},
		{"others do not change files", `Read {"path":"a.go"}`, false, map[string]int{}},
		{"nothing that is a path", `Write {"path":1}`, false, map[string]int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{
				tools:  []tool.Tool{loose("Write", tt.fail), loose("Edit", tt.fail), loose("Patch", tt.fail), loose("Read", false)},
				change: func(cfg *conversation.Config) { cfg.Workdir = root },
			}, calls("", tt.call), text("end"))
			b.send(t, "go")
			same(t, "counts", b.Context().PatchCounts, tt.want)
			b.Context().PatchCounts["a.go"] = 99
			same(t, "the map is the caller's", b.Context().PatchCounts, tt.want)
		})
	}
}

func TestLongResultsAreCut(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]hooks{
		"as they are": nil,
		"as a plugin puts them": when(hookpoint.AfterToolExecution, func(in sdk.AfterToolContext) (any, error) {
			return sdk.Result{Output: &in.ToolResult}, nil
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{
				tools: []tool.Tool{echo("Read")}, hooks: h, change: func(cfg *conversation.Config) { cfg.ResultTokens = 5 },
			}, calls("", `Read {"path":"one two three four five six"}`, `Read {"path":"one"}`), text("end"))
			b.send(t, "go")
			same(t, "results", b.sent(t, 2)[2:], []string{
				"tool:Read:one two three\n\n[3 more tokens are left out; ask for less at a time]", "tool:Read:one",
			})
			same(t, "the plugins' history is whole", b.Context().ToolHistory[0].Result, "Read:one two three four five six")
		})
	}
}

// TestLongFailuresAreTold runs calls that fail after much output. The failure must not be cut off.
func TestLongFailuresAreTold(t *testing.T) {
	t.Parallel()
	fails := newTool("Bash", true, func(context.Context, tool.Call) (string, error) {
		return "one two three four five six", errors.New("exit status 4")
	})
	b := start(t, options{
		tools: []tool.Tool{fails}, change: func(cfg *conversation.Config) { cfg.ResultTokens = 4 },
	}, calls("", `Bash {"path":"x"}`), text("end"))
	b.send(t, "go")
	same(t, "results", b.sent(t, 2)[2:], []string{
		"tool:one two three four\n\n[2 more tokens are left out; ask for less at a time]\n\nError: exit status 4",
	})
}

// TestNotesOfFilesAreKept cuts results that name a file with the full output. The name must not be cut off.
func TestNotesOfFilesAreKept(t *testing.T) {
	t.Parallel()
	note := tool.LeftOutNote("900 lines (3000 bytes)", "the full output is in /tmp/somewhere/aura-bash-123.txt")
	size := tokens.Estimate(note)
	for _, tt := range []struct {
		limit int
		want  string
	}{
		{1, note + "\n\n[9 more tokens"},
		{size + 2, "one two\n" + note + "\n\n[7 more tokens"},
		{size + 5, "one two three four\n" + note + "\n\n"},
		{size + 8, "one two three four\n" + note + "\nfive six"},
	} {
		t.Run(fmt.Sprint(tt.limit), func(t *testing.T) {
			t.Parallel()
			bash := newTool("Bash", true, func(context.Context, tool.Call) (string, error) {
				return "one two three four\n" + note + "\nfive six seven", nil
			})
			b := start(t, options{
				tools: []tool.Tool{bash}, change: func(cfg *conversation.Config) { cfg.ResultTokens = tt.limit },
			}, calls("", `Bash {"path":"x"}`), text("end"))
			b.send(t, "go")
			if got := b.sent(t, 2)[2]; !strings.HasPrefix(got, "tool:"+tt.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestCutAnswer(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		return llm.Response{Message: llm.Message{Content: "half"}, StopReason: llm.StopLength}, nil
	})
	b.send(t, "go")
	if notices := only[event.Notice](b); len(notices) != 1 || !strings.Contains(notices[0].Text, "cut") {
		t.Errorf("told %v", notices)
	}
}

func TestEjectedMessageThatWasCountedCountsNoMore(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: both(
		on(hookpoint.BeforeChat, sdk.Result{Message: "gone", Eject: true}),
		transforms(func(m []sdk.Message) ([]sdk.Message, error) { return m, nil }),
	)}, text("hello"))
	for range 2 {
		b.send(t, "go")
	}
	same(t, "estimate", b.Context().Tokens.Estimate, 2*(tokens.Estimate("go")+tokens.Estimate("hello")))
}

// TestTokensOfTransformedMessages checks that the tokens of the messages that plugins see add up to the estimate.
func TestTokensOfTransformedMessages(t *testing.T) {
	t.Parallel()
	var first, second []sdk.Message
	var state sdk.Context
	see := func(name string, handle func(c sdk.TransformContext) (any, error)) hooks {
		return hooks{hookpoint.TransformMessages: {{name, func(in any) (any, error) { return handle(in.(sdk.TransformContext)) }}}}
	}
	b := start(t, options{system: "be kind", tools: []tool.Tool{echo("Read")}, hooks: both(
		see("a", func(c sdk.TransformContext) (any, error) {
			first, state = c.Messages, c.Context
			out := append([]sdk.Message{}, c.Messages...)
			out[1].Content = "something else entirely"
			return out, nil
		}),
		see("b", func(c sdk.TransformContext) (any, error) { second = c.Messages; return c.Messages, nil }),
	)}, calls("look", `Read {"path":"x"}`), text("end"))
	b.send(t, "go there")
	sum := tokens.Estimate("Read\ndoes Read\n" + pathSchema)
	for i, m := range first {
		sum += m.Tokens
		if i != 1 && second[i].Tokens != m.Tokens {
			t.Errorf("message %d has %d tokens for one plugin, %d for the next", i, m.Tokens, second[i].Tokens)
		}
	}
	same(t, "estimate", state.Tokens.Estimate, sum)
	same(t, "changed", second[1].Tokens, tokens.Estimate("something else entirely"))
}
