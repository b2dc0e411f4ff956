package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func decides(retry, skip bool) hooks {
	return on(hookpoint.OnError, sdk.Result{Error: &sdk.ErrorModification{Retry: retry, Skip: skip}})
}

func TestOnError(t *testing.T) {
	t.Parallel()
	auth, slow := fails("auth", "no key"), fails("rate_limit", "slow down")
	tests := []struct {
		name     string
		hooks    hooks
		replies  []reply
		requests int
		class    string
	}{
		{"no plugin", nil, []reply{auth}, 1, "auth"},
		{"a plugin that does nothing", decides(false, false), []reply{auth}, 1, "auth"},
		{"skip", decides(false, true), []reply{auth}, 1, ""},
		{"retry succeeds", decides(true, false), []reply{slow, slow, text("ok")}, 3, ""},
		{"three retries at most", decides(true, false), []reply{slow}, 4, "rate_limit"},
		{"skip catches what retries could not mend", decides(true, true), []reply{slow}, 4, ""},
		{"retry wins over skip", both(decides(false, true), decides(true, false)), []reply{slow, text("ok")}, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: tt.hooks}, tt.replies...)
			err := b.Send(t.Context(), "go")
			var class *llm.Error
			if errors.As(err, &class) != (tt.class != "") || class != nil && class.Type != tt.class {
				t.Errorf("got %v", err)
			}
			if len(b.model.requests) != tt.requests {
				t.Errorf("%d requests", len(b.model.requests))
			}
			if got := b.Stats().Iterations; got != 1 {
				t.Errorf("retries counted as %d iterations", got)
			}
			told := only[event.Error](b)
			if (len(told) == 1) != (tt.class != "") || len(told) == 1 && (told[0].Class != tt.class || told[0].Retryable != (tt.class == "rate_limit")) {
				t.Errorf("told %+v", told)
			}
			if requests := only[event.Request](b); requests[len(requests)-1].Number != tt.requests {
				t.Errorf("told of %+v", requests)
			}
		})
	}
}

func TestOnErrorContext(t *testing.T) {
	t.Parallel()
	plain := func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		return llm.Response{}, errors.New("what?")
	}
	var seen []sdk.OnErrorContext
	b := start(t, options{hooks: when(hookpoint.OnError, func(c sdk.OnErrorContext) (any, error) {
		seen = append(seen, c)
		return sdk.Result{Error: &sdk.ErrorModification{Retry: true}}, nil
	})}, fails("server", "500"), plain, text("ok"))
	b.send(t, "go")
	if c := seen[0]; c.Error != "500" || c.ErrorType != sdk.ErrorTypeServer || !c.Retryable || c.StatusCode != 0 || c.Iteration != 1 {
		t.Errorf("got %+v", c)
	}
	if c := seen[1]; c.Error != "what?" || c.ErrorType != "" || c.Retryable {
		t.Errorf("got %+v", c)
	}
}

func TestOnErrorSpeaksToTheModel(t *testing.T) {
	t.Parallel()
	b := start(t, options{
		hooks: both(
			on(hookpoint.OnError, sdk.Result{
				Message: "be brief", Role: sdk.RoleUser, Eject: true, DisableTools: []string{"*"}, Error: &sdk.ErrorModification{Retry: true},
			}),
			on(hookpoint.BeforeChat, sdk.Result{Request: &sdk.RequestModification{AppendSystem: new("extra")}}),
		), tools: []tool.Tool{echo("Read")},
	}, fails("server", "x"), text("ok"), text("ok"))
	b.send(t, "one")
	b.send(t, "two")
	same(t, "first try", b.sent(t, 1), []string{"system:extra", "user:one"})
	same(t, "retry", b.sent(t, 2), []string{"system:extra", "user:one", "user:be brief"})
	same(t, "next call", b.sent(t, 3), []string{"system:extra", "user:one", "assistant:ok", "user:two"})
	same(t, "offered", []string{b.offered(1), b.offered(2), b.offered(3)}, []string{"Read", "", "Read"})
}

func TestEjectedMessageIsSentAgainOnRetry(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: both(on(hookpoint.BeforeChat, sdk.Result{Message: "m", Eject: true}), decides(true, false))},
		fails("server", "x"), text("ok"))
	b.send(t, "one")
	same(t, "retry", b.sent(t, 2), []string{"user:one", "assistant:m"})
	if got := b.Context().MessageCount; got != 2 {
		t.Errorf("%d messages are left", got)
	}
}

func TestEjectedMessageAfterTheLastFailureWaits(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: on(hookpoint.OnError, sdk.Result{Message: "m", Eject: true, Error: &sdk.ErrorModification{Skip: true}})},
		fails("server", "x"), text("ok"), text("ok"))
	for _, prompt := range []string{"one", "two", "three"} {
		b.send(t, prompt)
	}
	same(t, "next call", b.sent(t, 2), []string{"user:one", "assistant:m", "user:two"})
	same(t, "the one after", b.sent(t, 3), []string{"user:one", "user:two", "assistant:ok", "user:three"})
}

// TestEjectedMessageWaitsIfTheCallIsNotMade interrupts the second prompt after plugins have added messages.
func TestEjectedMessageWaitsIfTheCallIsNotMade(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	say := func(name string) plugin {
		return plugin{name, func(in any) (any, error) {
			return sdk.Result{Message: fmt.Sprint(name, in.(sdk.BeforeChatContext).Stats.Interactions), Eject: true}, nil
		}}
	}
	b := start(t, options{hooks: both(
		hooks{hookpoint.BeforeChat: {say("a"), say("b"), say("c")}},
		transforms(func(m []sdk.Message) ([]sdk.Message, error) {
			if m[len(m)-1].Content == "c2" {
				cancel()
			}
			return m, nil
		}),
	)}, text("ok"))
	b.send(t, "one")
	if err := b.Send(ctx, "two"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	b.send(t, "three")
	same(t, "next call", b.sent(t, 2), []string{
		"user:one", "assistant:ok", "user:two", "assistant:a2", "assistant:b2", "assistant:c2",
		"user:three", "assistant:a3", "assistant:b3", "assistant:c3",
	})
}

func TestCancelledWhileTheModelAnswers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	b := start(t, options{hooks: decides(true, true)}, func(ctx context.Context, _ llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		delta(llm.Delta{Text: "par"})
		cancel(enough)
		<-ctx.Done()
		return llm.Response{Message: llm.Message{Content: "par"}}, ctx.Err()
	}, text("ok"))
	if err := b.Send(ctx, "go"); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	same(t, "journal", lines(b.journal.messages), []string{"user:go"})
	if len(b.model.requests) != 1 {
		t.Error("a cancelled call was repeated")
	}
	b.send(t, "again")
	same(t, "next", b.sent(t, 2), []string{"user:go", "user:again"})
}

func TestCancelledWhileToolsRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stuck := newTool("Stuck", false, func(ctx context.Context, _ tool.Call) (string, error) {
		cancel(enough)
		<-ctx.Done()
		return "part", context.Cause(ctx)
	})
	asked := 0
	count := when(hookpoint.AfterToolExecution, func(sdk.AfterToolContext) (any, error) { asked++; return message("note"), nil })
	b := start(t, options{hooks: count, tools: []tool.Tool{echo("Read"), stuck}},
		calls("", `Read {"path":"x"}`, `Stuck {"path":"x"}`, `Read {"path":"y"}`, `Stuck {"path":"y"}`), text("ok"))
	if err := b.Send(ctx, "go"); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	const never = "tool:Error: the call did not run: interrupted: enough"
	want := []string{"user:go", "assistant:+Read+Stuck+Read+Stuck", "tool:Read:x", "tool:part\n\nError: enough", never, never, "user:note"}
	same(t, "journal", lines(b.journal.messages), want)
	if asked != 1 {
		t.Errorf("plugins were asked %d times", asked)
	}
	if _, last := b.events[0], b.events[len(b.events)-1]; last.Type() != "done" {
		t.Errorf("the last event is %s", last.Type())
	}
	b.send(t, "again")
	same(t, "history", b.sent(t, 2), append(want, "user:again"))
}

func TestCancelledWhilePluginsRun(t *testing.T) {
	t.Parallel()
	for _, point := range []hookpoint.Name{hookpoint.BeforeChat, hookpoint.TransformMessages, hookpoint.AfterResponse, hookpoint.BeforeToolExecution} {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			h := hooks{point: {{"p", func(any) (any, error) { cancel(); return nil, ctx.Err() }}}}
			ran := false
			read := newTool("Read", true, func(context.Context, tool.Call) (string, error) { ran = true; return "", nil })
			b := start(t, options{hooks: h, tools: []tool.Tool{read}}, calls("", `Read {"path":"x"}`), text("ok"))
			if err := b.Send(ctx, "go"); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if ran || len(b.model.requests) > 1 || len(only[event.PluginError](b)) > 0 {
				t.Errorf("tool ran: %v, %d requests, %v", ran, len(b.model.requests), only[event.PluginError](b))
			}
		})
	}
}

func TestUnresolvedModel(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, text("ok"))
	b.model.Model, b.model.err = llm.Model{}, errors.New("unreachable")
	fresh := startWith(t, b.model)
	if info := fresh.Context().ModelInfo; info.Name != "" || info.ContextLength != 0 || fresh.Context().Tokens.Percent != 0 {
		t.Errorf("got %+v", info)
	}
	b.model.Model, b.model.err = llm.Model{Name: "late", ContextLength: 10}, nil
	if err := fresh.Send(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if info := fresh.Context().ModelInfo; info.Name != "late" {
		t.Errorf("got %+v", info)
	}
}
