package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

const twoTodos = `TodoCreate {"items":[{"content":"plan"},{"content":"build","status":"in_progress"}]}`

func completes(id string) reply { return calls("", `TodoProgress {"id":`+id+`,"status":"completed"}`) }

func TestAutoMode(t *testing.T) {
	t.Parallel()
	urged := "user:These todos are not completed yet:\n1. [pending] plan\n2. [in_progress] build\nGo on with them, and note your progress."
	tests := []struct {
		name     string
		auto     bool
		hooks    hooks
		maxSteps int
		replies  []reply
		requests int
		urged    int
		limit    bool
	}{
		{"off", false, nil, 0, []reply{calls("", twoTodos), text("resting")}, 2, 0, false},
		{"nothing to do", true, nil, 0, []reply{text("resting")}, 1, 0, false},
		{"goes on while todos are open", true, nil, 0, []reply{calls("", twoTodos), text("resting"), completes("1"), completes("2"), text("end")}, 5, 1, false},
		{"as often as it takes", true, nil, 0, []reply{calls("", twoTodos), text("a"), text("b"), calls("", `TodoCreate {"items":[]}`), text("end")}, 5, 2, false},
		{"up to the step limit", true, nil, 4, []reply{calls("", twoTodos), text("resting")}, 4, 2, true},
		{"a skipped call ends it", true, skipsAfter(2), 0, []reply{calls("", twoTodos), text("resting")}, 2, 1, false},
		{"a failure passed over ends it", true, decides(false, true), 0, []reply{calls("", twoTodos), fails("auth", "x")}, 2, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list todo.List
			b := start(t, options{hooks: tt.hooks, maxSteps: tt.maxSteps, tools: list.Tools(), change: func(cfg *conversation.Config) {
				cfg.Auto, cfg.Todos = tt.auto, &list
			}}, tt.replies...)
			if err := b.Send(t.Context(), "go"); errors.Is(err, conversation.ErrStepLimit) != tt.limit || err != nil && !tt.limit {
				t.Errorf("got %v", err)
			}
			auto := 0
			for _, m := range only[event.Message](b) {
				if m.Auto {
					auto++
				}
			}
			if len(b.model.requests) != tt.requests || auto != tt.urged || b.Stats().Interactions != 1 || b.Context().Auto != tt.auto {
				t.Errorf("%d requests, urged %d times, %+v", len(b.model.requests), auto, b.Stats())
			}
			if tt.urged > 0 {
				m := b.journal.messages[4]
				if lines([]llm.Message{m})[0] != urged || !m.Synthetic {
					t.Errorf("urged by %+v", m)
				}
			}
		})
	}
}

// skipsAfter returns a plugin that skips every call after the n-th.
func skipsAfter(n int) hooks {
	return when(hookpoint.BeforeChat, func(c sdk.BeforeChatContext) (any, error) {
		return sdk.Result{Request: &sdk.RequestModification{Skip: c.Stats.Turns >= n}}, nil
	})
}

func TestAutoModeIsTurnedOff(t *testing.T) {
	t.Parallel()
	var list todo.List
	b := start(t, options{tools: list.Tools(), change: func(cfg *conversation.Config) { cfg.Auto, cfg.Todos = true, &list }}, calls("", twoTodos), nil)
	b.model.replies[1] = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		b.SetAuto(false)
		return text("resting")(ctx, req, delta)
	}
	b.send(t, "go")
	if len(b.model.requests) != 2 || b.Context().Auto {
		t.Errorf("%d requests", len(b.model.requests))
	}
}

func TestTodosAreTold(t *testing.T) {
	t.Parallel()
	var list todo.List
	var seen []sdk.Context
	b := start(t, options{
		tools: list.Tools(), change: func(cfg *conversation.Config) { cfg.Todos = &list },
		hooks: when(hookpoint.BeforeChat, func(c sdk.BeforeChatContext) (any, error) { seen = append(seen, c.Context); return nil, nil }),
	}, calls("", twoTodos), completes("1"), text("end"))
	b.send(t, "go")
	for i, want := range [][3]int{{0, 0, 0}, {1, 1, 2}, {0, 1, 2}} {
		if got := [3]int{seen[i].TodoPending, seen[i].TodoInProgress, seen[i].TodoTotal}; got != want {
			t.Errorf("turn %d: %v, want %v", i+1, got, want)
		}
	}
}

func TestDoneMode(t *testing.T) {
	t.Parallel()
	finish := calls("finishing", `Read {"path":"x"}`, `Done {"summary":"all of it"}`, `Read {"path":"y"}`)
	tests := []struct {
		name    string
		done    bool
		hooks   hooks
		replies []reply
		// requests is the number of requests. last is the last message in the journal.
		requests int
		last     string
	}{
		{"off: the tool is not there", false, nil, []reply{finish, text("end")}, 2, "assistant:end"},
		{"the call ends the interaction", true, nil, []reply{finish}, 1, "tool:Read:y"},
		{"resting ends it too", true, nil, []reply{text("end")}, 1, "assistant:end"},
		{
			"what a plugin says is kept but not sent", true, on(hookpoint.AfterToolExecution, message("note")),
			[]reply{finish},
			1, "user:note",
		},
		{
			"a blocked call ends nothing", true,
			when(hookpoint.BeforeToolExecution, func(c sdk.BeforeToolContext) (any, error) {
				return sdk.BeforeToolResult{Block: c.ToolName == donetool.Name}, nil
			}),
			[]reply{finish, text("end")},
			2, "assistant:end",
		},
		{
			"arguments that do not fit end nothing", true, nil, []reply{calls("", `Done {"summary":1}`), text("end")}, 2, "assistant:end",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{
				hooks: tt.hooks, tools: []tool.Tool{echo("Read"), donetool.Tool()},
				change: func(cfg *conversation.Config) { cfg.Done = tt.done },
			}, tt.replies...)
			b.send(t, "go")
			kept := lines(b.journal.messages)
			if len(b.model.requests) != tt.requests || kept[len(kept)-1] != tt.last {
				t.Errorf("%d requests, journal %q", len(b.model.requests), kept)
			}
			state := b.Context()
			if got := strings.Contains(b.offered(1), donetool.Name); got != tt.done || state.DoneActive != tt.done || (len(state.AvailableTools) == 2) != tt.done {
				t.Errorf("offered %q, state %+v", b.offered(1), state)
			}
		})
	}
}

func TestDoneModeIsTurnedOn(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read"), donetool.Tool()}}, text("a"), text("b"))
	b.send(t, "one")
	b.SetDone(true)
	same(t, "available", b.Context().AvailableTools, []string{"Done", "Read"})
	b.send(t, "two")
	same(t, "offered", []string{b.offered(1), b.offered(2)}, []string{"Read", "Done Read"})
}

func TestDoneEndsOneInteraction(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read"), donetool.Tool()}, change: func(cfg *conversation.Config) { cfg.Done = true }},
		calls("", `Done {}`), calls("", `Read {"path":"x"}`), text("end"))
	b.send(t, "one")
	b.send(t, "two")
	same(t, "requests", len(b.model.requests), 3)
}

// TestDoneEndsAutoMode calls Done while todos are open.
func TestDoneEndsAutoMode(t *testing.T) {
	t.Parallel()
	var list todo.List
	b := start(t, options{tools: append(list.Tools(), donetool.Tool()), change: func(cfg *conversation.Config) {
		cfg.Auto, cfg.Done, cfg.Todos = true, true, &list
	}}, calls("", twoTodos), calls("", `Done {}`))
	b.send(t, "go")
	same(t, "requests", len(b.model.requests), 2)
}

func TestTokenBudget(t *testing.T) {
	t.Parallel()
	uses := func(in, out int) reply {
		return func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
			return llm.Response{
				Message: llm.Message{ToolCalls: []llm.ToolCall{{Name: "Read", Arguments: []byte(`{"path":"x"}`)}}}, Usage: llm.Usage{Input: in, Output: out},
			}, nil
		}
	}
	tests := []struct {
		name     string
		budget   int
		reply    reply
		requests int
	}{
		{"both ways count", 30, uses(10, 5), 2},
		{"a budget that is exceeded in one call", 5, uses(10, 5), 1},
		{"without counts, estimates", 200, uses(0, 0), 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			b := start(t, options{
				tools: []tool.Tool{echo("Read")}, change: func(cfg *conversation.Config) { cfg.TokenBudget = tt.budget },
				hooks: when(hookpoint.BeforeChat, func(sdk.BeforeChatContext) (any, error) { asked++; return nil, nil }),
			}, tt.reply)
			if err := b.Send(t.Context(), "go"); !errors.Is(err, conversation.ErrBudget) || !strings.Contains(err.Error(), "--token-budget") {
				t.Errorf("got %v", err)
			}
			if len(b.model.requests) != tt.requests || asked != tt.requests {
				t.Errorf("%d requests, plugins asked %d times", len(b.model.requests), asked)
			}
			kept := len(b.journal.messages)
			if err := b.Send(t.Context(), "more"); !errors.Is(err, conversation.ErrBudget) || len(b.journal.messages) != kept {
				t.Errorf("the next prompt: %v, %d messages", err, len(b.journal.messages))
			}
		})
	}
	t.Run("an answer that ends the interaction is no error", func(t *testing.T) {
		t.Parallel()
		b := start(t, options{change: func(cfg *conversation.Config) { cfg.TokenBudget = 5 }}, text("ok"))
		b.send(t, "go")
	})
}
