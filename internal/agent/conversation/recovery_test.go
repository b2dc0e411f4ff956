package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func garbled(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Message: "half a tool call", Malformed: true}
}

func TestAnswersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		hooks    hooks
		replies  []reply
		requests int
		again    int
		fails    bool
	}{
		{"once", nil, []reply{garbled, text("ok")}, 2, 1, false},
		{"twice", nil, []reply{garbled, garbled, text("ok")}, 3, 2, false},
		{"two retries at most", nil, []reply{garbled}, 3, 2, true},
		{"then plugins are asked", decides(false, true), []reply{garbled}, 3, 2, false},
		{"other errors are not asked for again", nil, []reply{fails("", "odd")}, 1, 0, true},
		{"each call has its own", nil, []reply{garbled, calls("", `Read {"path":"x"}`), garbled, garbled, text("ok")}, 5, 3, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: tt.hooks, tools: []tool.Tool{echo("Read")}}, tt.replies...)
			if err := b.Send(t.Context(), "go"); (err != nil) != tt.fails {
				t.Errorf("got %v", err)
			}
			if got := b.Stats(); len(b.model.requests) != tt.requests || got.ParseRetries != tt.again || len(only[event.Notice](b)) != tt.again {
				t.Errorf("%d requests, %d retries, notices %v", len(b.model.requests), got.ParseRetries, only[event.Notice](b))
			}
			same(t, "numbered", only[event.Request](b)[tt.requests-1].Number, tt.requests)
		})
	}
}

func TestRequestThatIsTooLong(t *testing.T) {
	t.Parallel()
	exhausted := fails("context_exhausted", "too long")
	count := func(n, keep *int, r sdk.Result) hooks {
		return when(hookpoint.BeforeCompaction, func(c sdk.BeforeCompactionContext) (any, error) {
			*n++
			*keep = c.KeepLast
			if c.Forced {
				return nil, errors.New("nobody forced it")
			}
			return r, nil
		})
	}
	tests := []struct {
		name    string
		prompts int
		result  sdk.Result
		replies []reply // to the last prompt
		// asked and done count the calls of plugins before and after a compaction. keep is the first KeepLast that they
		// received.
		asked, done, keep int
		fails             bool
	}{
		{"mended at once", 6, sdk.Result{}, []reply{exhausted, text("end")}, 1, 1, 10, false},
		{"mended by keeping less, plugins asked once", 6, sdk.Result{}, []reply{exhausted, exhausted, exhausted, text("end")}, 1, 3, 10, false},
		{"three times at most", 6, sdk.Result{}, []reply{exhausted}, 1, 3, 10, true},
		{"a plugin manages the history", 6, sdk.Result{Compaction: &sdk.CompactionModification{Skip: true}}, []reply{exhausted}, 1, 0, 10, true},
		{"fewer messages than are kept", 2, sdk.Result{}, []reply{exhausted, text("end")}, 1, 1, 3, false},
		{"a prompt alone", 0, sdk.Result{}, []reply{exhausted}, 0, 0, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked, told, keep := 0, 0, 0
			var seen []string
			b, _ := compacting(t, conversation.Compaction{}, options{hooks: both(
				count(&asked, &keep, tt.result),
				when(hookpoint.AfterCompaction, func(c sdk.AfterCompactionContext) (any, error) { told++; return nil, nil }),
				when(hookpoint.OnError, func(c sdk.OnErrorContext) (any, error) { seen = append(seen, c.ErrorType); return nil, nil }),
			)}, text("ok"))
			for range tt.prompts {
				b.send(t, "more")
			}
			b.model.requests, b.model.replies = nil, tt.replies
			err := b.Send(t.Context(), "last")
			if (err != nil) != tt.fails || asked != tt.asked || told != tt.done || b.Stats().Compactions != tt.done {
				t.Errorf("%v: asked %d times, told %d times, counted %d", err, asked, told, b.Stats().Compactions)
			}
			same(t, "told to be kept", keep, tt.keep)
			if failed := len(seen) > 0; failed != tt.fails || failed && seen[0] != sdk.ErrorTypeContextExhausted {
				t.Errorf("plugins saw %v", seen)
			}
			for i, c := range only[event.Compaction](b) {
				if c.Trigger != event.TriggerRecovery || !c.Success || i > 0 && c.PostMessages >= only[event.Compaction](b)[i-1].PostMessages {
					t.Errorf("told %+v", c)
				}
			}
			if !tt.fails {
				sent := b.sent(t, len(b.model.requests))
				same(t, "the summary and the prompt", []bool{strings.HasPrefix(sent[0], "user:"+summaryHead), sent[len(sent)-1] == "user:last"}, []bool{true, true})
			}
		})
	}
}

// stand returns an agent with its own model.
func stand(agent string, replies ...reply) (conversation.Persona, *model) {
	m := &model{Model: llm.Model{Name: agent + "-model", ContextLength: 500}, replies: replies}
	return conversation.Persona{Agent: agent, Provider: provider{m}, ProviderName: agent + "-provider", System: "I am " + agent}, m
}

func TestFailoverByClass(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]bool{
		sdk.ErrorTypeNetwork: true, sdk.ErrorTypeAuth: true, sdk.ErrorTypeRateLimit: true, sdk.ErrorTypeCreditExhausted: true,
		sdk.ErrorTypeModelUnavailable: true, sdk.ErrorTypeServer: true,
		sdk.ErrorTypeContentFilter: false, sdk.ErrorTypeContextExhausted: false, "": false,
	} {
		t.Run("class "+class, func(t *testing.T) {
			t.Parallel()
			second, model := stand("second", text("here"))
			asked := 0
			b := start(t, options{
				change: func(cfg *conversation.Config) { cfg.Fallback = []conversation.Persona{second} },
				hooks:  when(hookpoint.OnError, func(sdk.OnErrorContext) (any, error) { asked++; return nil, nil }),
			}, fails(class, "down"))
			err := b.Send(t.Context(), "go")
			if (err == nil) != want || (len(model.requests) == 1) != want || (asked == 0) != want {
				t.Errorf("%v: %d requests, plugins asked %d times", err, len(model.requests), asked)
			}
			if got := b.Context().Agent == "second"; got != want {
				t.Errorf("agent %s", b.Context().Agent)
			}
		})
	}
}

func TestFailover(t *testing.T) {
	t.Parallel()
	tools, err := tool.NewRegistry(echo("Look"), echo("Touch"))
	if err != nil {
		t.Fatal(err)
	}
	second, gone := stand("second", fails("auth", "no key"))
	third, model := stand("third", text("here"), text("still"))
	third.Tools, third.Mode = tools, "plan"
	var seen []sdk.OnAgentSwitchContext
	b := start(t, options{
		system: "I am tester", tools: []tool.Tool{echo("Read")},
		change: func(cfg *conversation.Config) { cfg.Fallback = []conversation.Persona{second, third} },
		hooks: both(
			on(hookpoint.BeforeChat, sdk.Result{
				DisableTools: []string{"T*"}, Message: "hint", Eject: true, Request: &sdk.RequestModification{AppendSystem: new("extra")},
			}),
			when(hookpoint.OnAgentSwitch, func(c sdk.OnAgentSwitchContext) (any, error) {
				seen = append(seen, c)
				return sdk.Result{Message: "ignored", Notice: "now " + c.NewAgent}, nil
			}),
		),
	}, fails("rate_limit", "slow down"))
	b.send(t, "one")
	b.send(t, "two")

	same(t, "tried", []int{len(b.model.requests), len(gone.requests), len(model.requests)}, []int{1, 1, 2})
	same(t, "request", lines(model.requests[0].Messages), []string{"system:I am third\n\nextra", "user:one", "assistant:hint"})
	same(t, "the next prompt", lines(model.requests[1].Messages), []string{"system:I am third\n\nextra", "user:one", "assistant:here", "user:two", "assistant:hint"})
	same(t, "model", model.requests[0].Model, "third-model")
	same(t, "tools", []string{model.requests[0].Tools[0].Name, b.offered(1)}, []string{"Look", "Read"})
	same(t, "iterations", b.Stats().Iterations, 2)
	if len(seen) != 2 || seen[0].PreviousAgent != "tester" || seen[0].NewAgent != "second" || seen[1].PreviousAgent != "second" || seen[1].NewAgent != "third" {
		t.Fatalf("told of %+v", seen)
	}
	if c := seen[1]; c.Reason != sdk.SwitchReasonFailover || c.Agent != "third" || c.Mode != "plan" || c.Provider != "third-provider" ||
		c.ModelInfo.Name != "third-model" || c.Tokens.Max != 500 || c.SystemPrompt != "I am third\n\nextra" {
		t.Errorf("state %+v", c.Context)
	}
	same(t, "events", only[event.AgentSwitch](b), []event.AgentSwitch{
		{Previous: "tester", Agent: "second", Provider: "second-provider", Model: "second-model", Reason: "failover"},
		{Previous: "second", Agent: "third", Mode: "plan", Provider: "third-provider", Model: "third-model", Reason: "failover"},
	})
	if notices := only[event.Notice](b); len(notices) != 4 || !strings.Contains(notices[0].Text, "slow down") || notices[1].Text != "now second" {
		t.Errorf("notices %+v", notices)
	}
}

func TestFailoverThatFindsNobody(t *testing.T) {
	t.Parallel()
	second, model := stand("second", fails("server", "down too"))
	deeper, last := stand("deeper", fails("network", "unreachable"))
	second.Fallback = []conversation.Persona{deeper}
	var seen []sdk.OnErrorContext
	b := start(t, options{
		change: func(cfg *conversation.Config) { cfg.Fallback = []conversation.Persona{second} },
		hooks: when(hookpoint.OnError, func(c sdk.OnErrorContext) (any, error) {
			seen = append(seen, c)
			return sdk.Result{Error: &sdk.ErrorModification{Retry: len(seen) < 2}}, nil
		}),
	}, fails("auth", "no key"))
	err := b.Send(t.Context(), "go")
	if class, ok := errors.AsType[*llm.Error](err); !ok || class.Type != "network" || !strings.Contains(err.Error(), "deeper-model") {
		t.Errorf("got %v", err)
	}
	same(t, "requests", []int{len(b.model.requests), len(model.requests), len(last.requests)}, []int{1, 1, 2})
	if len(seen) != 2 || seen[0].ErrorType != "network" || seen[0].Agent != "deeper" {
		t.Errorf("plugins saw %+v", seen)
	}
}

func TestNoFailoverOnceCancelled(t *testing.T) {
	t.Parallel()
	second, model := stand("second", text("here"))
	ctx, cancel := context.WithCancel(t.Context())
	b := start(t, options{change: func(cfg *conversation.Config) { cfg.Fallback = []conversation.Persona{second} }},
		func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
			cancel()
			return fails("network", ctx.Err().Error())(ctx, req, delta)
		})
	if err := b.Send(ctx, "go"); !errors.Is(err, context.Canceled) || len(model.requests) != 0 || b.Context().Agent != "tester" || len(only[event.Notice](b)) > 0 {
		t.Errorf("%v: %d requests", err, len(model.requests))
	}
}

// TestOrderOfRecovery makes every kind of recovery fail, one after the other.
func TestOrderOfRecovery(t *testing.T) {
	t.Parallel()
	second, other := stand("second", garbled, garbled, garbled)
	var log []string
	note := func(what string) { log = append(log, what) }
	b, _ := compacting(t, conversation.Compaction{KeepLast: 2}, options{
		change: func(cfg *conversation.Config) { cfg.Fallback = []conversation.Persona{second} },
		hooks: both(
			when(hookpoint.BeforeCompaction, func(sdk.BeforeCompactionContext) (any, error) { note("compaction"); return nil, nil }),
			when(hookpoint.OnAgentSwitch, func(sdk.OnAgentSwitchContext) (any, error) { note("failover"); return nil, nil }),
			when(hookpoint.OnError, func(c sdk.OnErrorContext) (any, error) { note("OnError " + c.Error); return nil, nil }),
		),
	}, text("ok"), text("ok"), garbled, fails("context_exhausted", "too long"), fails("server", "down"))
	b.send(t, "one")
	b.send(t, "two")
	if err := b.Send(t.Context(), "three"); err == nil {
		t.Error("nothing failed")
	}
	same(t, "order", strings.Join(log, ", "), "compaction, failover, OnError half a tool call")
	same(t, "requests", []int{len(b.model.requests), len(other.requests), b.Stats().ParseRetries}, []int{5, 3, 3})
}
