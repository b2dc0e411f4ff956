package conversation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func TestSwitch(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{
		sdk.SwitchReasonUser, sdk.SwitchReasonFailover, sdk.SwitchReasonTask, sdk.SwitchReasonCycle, sdk.SwitchReasonResume,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			var seen []sdk.OnAgentSwitchContext
			b := start(t, options{system: "sys", hooks: when(hookpoint.OnAgentSwitch, func(c sdk.OnAgentSwitchContext) (any, error) {
				seen = append(seen, c)
				return sdk.Result{Message: "ignored", DisableTools: []string{"*"}}, nil
			}), tools: []tool.Tool{echo("Read")}}, text("ok"))
			b.send(t, "one")

			registry, err := tool.NewRegistry(echo("Write"))
			if err != nil {
				t.Fatal(err)
			}
			other, model := stand("other", text("hello"))
			other.Mode, other.Tools, other.ContextLength, other.Think, other.MaxSteps = "edit", registry, 300, llm.ThinkHigh, 7
			other.Generation.MaxOutputTokens = new(99)
			if err := b.Switch(t.Context(), other, reason); err != nil {
				t.Fatal(err)
			}
			same(t, "event", only[event.AgentSwitch](b), []event.AgentSwitch{
				{Previous: "tester", Agent: "other", Mode: "edit", Provider: "other-provider", Model: "other-model", Reason: reason},
			})
			if len(seen) != 1 || seen[0].PreviousAgent != "tester" || seen[0].NewAgent != "other" || seen[0].Reason != reason {
				t.Fatalf("told of %+v", seen)
			}
			for _, c := range []sdk.Context{seen[0].Context, b.Context()} {
				if c.Agent != "other" || c.Mode != "edit" || c.Provider != "other-provider" || c.ThinkMode != "high" || c.MaxSteps != 7 ||
					c.SystemPrompt != "I am other" || c.ModelInfo.Name != "other-model" || c.ModelInfo.ContextLength != 300 || c.Tokens.Max != 300 {
					t.Errorf("state %+v", c)
				}
				same(t, "available", c.AvailableTools, []string{"Write"})
			}
			b.send(t, "two")
			request := model.requests[0]
			same(t, "history goes on", lines(request.Messages), []string{"system:I am other", "user:one", "assistant:ok", "user:two"})
			if request.Model != "other-model" || request.Think != llm.ThinkHigh || *request.Generation.MaxOutputTokens != 99 || len(request.Tools) != 1 {
				t.Errorf("request %+v", request)
			}
		})
	}
}

func TestSwitchOfModeAlone(t *testing.T) {
	t.Parallel()
	told := false
	b := start(t, options{hooks: when(hookpoint.OnAgentSwitch, func(sdk.OnAgentSwitchContext) (any, error) { told = true; return nil, nil })}, text("ok"))
	same := b.Persona()
	same.Mode, same.Model = "plan", "bigger"
	if err := b.Switch(t.Context(), same, sdk.SwitchReasonUser); err != nil {
		t.Fatal(err)
	}
	if events := only[event.AgentSwitch](b); told || len(events) != 1 || events[0].Previous != events[0].Agent || events[0].Mode != "plan" || events[0].Model != "bigger" {
		t.Errorf("plugins told: %v, events %+v", told, events)
	}
	b.send(t, "go")
	if b.model.requests[0].Model != "bigger" || b.Context().Mode != "plan" {
		t.Errorf("asked for %s in mode %s", b.model.requests[0].Model, b.Context().Mode)
	}
}

func TestTurnKeepsItsPersona(t *testing.T) {
	t.Parallel()
	other, model := stand("other", text("end"))
	var during, persona string
	var agents []string
	var b *bench
	read := newTool("Read", true, func(ctx context.Context, _ tool.Call) (string, error) {
		if err := b.Switch(ctx, other, sdk.SwitchReasonUser); err != nil {
			return "", err
		}
		during, persona = b.Context().Agent, b.Persona().Agent
		return "read", nil
	})
	b = start(t, options{tools: []tool.Tool{read}, hooks: both(
		when(hookpoint.AfterToolExecution, func(c sdk.AfterToolContext) (any, error) {
			agents = append(agents, "after tool "+c.Agent)
			return nil, nil
		}),
		when(hookpoint.OnAgentSwitch, func(c sdk.OnAgentSwitchContext) (any, error) {
			agents = append(agents, "switch to "+c.Agent)
			return nil, nil
		}),
		when(hookpoint.BeforeChat, func(c sdk.BeforeChatContext) (any, error) {
			agents = append(agents, "chat of "+c.Agent)
			return nil, nil
		}),
	)}, calls("", `Read {"path":"x"}`))
	b.send(t, "go")
	same(t, "during the turn", []string{during, persona}, []string{"tester", "other"})
	same(t, "agents", agents, []string{"chat of tester", "after tool tester", "switch to other", "chat of other"})
	same(t, "the next turn", lines(model.requests[0].Messages), []string{"system:I am other", "user:go", "assistant:+Read", "tool:read"})
}

func TestSwitchDuringTheLastTurn(t *testing.T) {
	t.Parallel()
	other, _ := stand("other", text("end"))
	fresh, err := tool.NewRegistry(echo("Fresh"))
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, options{}, nil)
	b.model.replies[0] = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		err := b.Switch(ctx, other, sdk.SwitchReasonCycle)
		b.SetTools(fresh)
		return llm.Response{Message: llm.Message{Content: "ok"}}, err
	}
	b.send(t, "go")
	if b.Context().Agent != "other" || len(b.model.requests) != 1 {
		t.Errorf("agent %s", b.Context().Agent)
	}
	same(t, "tools set meanwhile", b.Context().AvailableTools, []string{"Fresh"})
	n := len(b.events)
	same(t, "the last events", []string{b.events[n-2].Type(), b.events[n-1].Type()}, []string{"agent_switch", "done"})
}

func TestSwitchWaitsOutAnInterruption(t *testing.T) {
	t.Parallel()
	other, model := stand("other", text("end"))
	b := start(t, options{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	b.model.replies[0] = func(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
		if err := b.Switch(ctx, other, sdk.SwitchReasonUser); err != nil {
			t.Error(err)
		}
		cancel()
		return llm.Response{}, ctx.Err()
	}
	if err := b.Send(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	same(t, "persona", b.Persona().Agent, "other")
	b.send(t, "again")
	if len(model.requests) != 1 || b.Context().Agent != "other" {
		t.Errorf("agent %s", b.Context().Agent)
	}
}

func TestPersonaWithoutProvider(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, text("ok"))
	if err := b.Switch(t.Context(), conversation.Persona{Agent: "x"}, sdk.SwitchReasonUser); err == nil {
		t.Error("switched to an agent without a provider")
	}
	second, model := stand("second", text("here"))
	second.Fallback = []conversation.Persona{{Agent: "x"}}
	if err := b.Switch(t.Context(), second, sdk.SwitchReasonUser); err == nil {
		t.Error("took a fallback without a provider")
	}
	b.send(t, "go")
	same(t, "requests to the refused one", len(model.requests), 0)
}

func TestWhatOneServiceSignedIsNotShownToAnother(t *testing.T) {
	t.Parallel()
	signed := func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		return llm.Response{Message: llm.Message{
			Thinking: "hm", ThinkingBlocks: []llm.ThinkingBlock{{Text: "hm", Signature: "s"}},
			ToolCalls: []llm.ToolCall{{ID: "1", Name: "Read", Arguments: []byte(`{"path":"x"}`), Signature: []byte("s")}},
		}}, nil
	}
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, signed, text("ok"))
	b.send(t, "go")
	own := b.model.requests[1].Messages[1]
	if len(own.ThinkingBlocks) != 1 || own.ToolCalls[0].Signature == nil {
		t.Errorf("the service itself is shown %+v", own)
	}
	other, model := stand("other", text("end"))
	other.System = ""
	if err := b.Switch(t.Context(), other, sdk.SwitchReasonUser); err != nil {
		t.Fatal(err)
	}
	b.send(t, "more")
	shown := model.requests[0].Messages[1]
	if shown.Thinking != "hm" || shown.ThinkingBlocks != nil || shown.ToolCalls[0].Signature != nil || own.ToolCalls[0].Signature == nil {
		t.Errorf("another is shown %+v", shown)
	}
}
