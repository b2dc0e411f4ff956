package conversation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// once returns a plugin that adds a message when a point is first reached, and withholds all tools from the next call.
func once(point hookpoint.Name) hooks {
	done := false
	return hooks{point: {{"p", func(any) (any, error) {
		if done {
			return nil, nil
		}
		done = true
		return sdk.Result{Message: "hint", Role: sdk.RoleUser, Eject: true, DisableTools: []string{"*"}}, nil
	}}}}
}

// TestWhatWaitsSurvives ends an interaction before the model has answered to a plugin's message, and continues in a
// conversation that is created from the journal.
func TestWhatWaitsSurvives(t *testing.T) {
	t.Parallel()
	hang := func(stop context.CancelFunc) reply {
		return func(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
			stop()
			<-ctx.Done()
			return llm.Response{}, ctx.Err()
		}
	}
	tests := []struct {
		name    string
		point   hookpoint.Name
		steps   int
		replies func(stop context.CancelFunc) []reply
		want    error
		waits   bool
	}{
		{
			"the limit of steps", hookpoint.AfterToolExecution, 1,
			func(context.CancelFunc) []reply { return []reply{calls("", `Read {"path":"x"}`)} }, conversation.ErrStepLimit, true,
		},
		{
			"an interrupted tool", hookpoint.AfterToolExecution, 0,
			func(context.CancelFunc) []reply {
				return []reply{calls("", `Read {"path":"x"}`, `Stop {"path":"x"}`)}
			}, context.Canceled, true,
		},
		{
			"an interrupted call", hookpoint.AfterToolExecution, 0,
			func(stop context.CancelFunc) []reply { return []reply{calls("", `Read {"path":"x"}`), hang(stop)} }, context.Canceled, true,
		},
		{
			"BeforeChat is asked again", hookpoint.BeforeChat, 0,
			func(stop context.CancelFunc) []reply { return []reply{hang(stop)} }, context.Canceled, false,
		},
		{
			"a failed call was made", hookpoint.AfterToolExecution, 0,
			func(context.CancelFunc) []reply { return []reply{calls("", `Read {"path":"x"}`), fails("server", "x")} }, errAny, false,
		},
		{
			"an answered call was made", hookpoint.AfterToolExecution, 0,
			func(context.CancelFunc) []reply { return []reply{calls("", `Read {"path":"x"}`), text("ok")} }, nil, false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			stops := newTool("Stop", false, func(context.Context, tool.Call) (string, error) { stop(); return "", nil })
			b := start(t, options{maxSteps: tt.steps, hooks: once(tt.point), tools: []tool.Tool{echo("Read"), stops}}, tt.replies(stop)...)
			err := b.Send(ctx, "one")
			if !errors.Is(err, tt.want) && (!errors.Is(tt.want, errAny) || err == nil) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			waiting, history := b.journal.waiting, b.journal.messages
			if got := len(waiting.Messages) == 1 && len(waiting.DisableTools) == 1; got != tt.waits {
				t.Errorf("the journal has %+v", waiting)
			}
			next := start(t, options{tools: []tool.Tool{echo("Read"), stops}, change: func(c *conversation.Config) {
				c.History, c.Waiting = history, waiting
			}}, text("ok"))
			next.send(t, "two")
			next.send(t, "three")
			checkWaited(t, next, tt.waits)
		})
	}
}

// errAny means that any error is expected.
var errAny = errors.New("any")

// checkWaited checks that the pending messages were sent with the first of two calls, or with neither.
func checkWaited(t *testing.T, b *bench, waited bool) {
	t.Helper()
	for n := 1; n <= 2; n++ {
		hint := false
		for _, line := range b.sent(t, n) {
			hint = hint || line == "user:hint"
		}
		want := waited && n == 1
		if hint != want || (b.offered(n) == "") != want {
			t.Errorf("call %d: message %v, tools %q; want the message and no tools: %v", n, hint, b.offered(n), want)
		}
	}
	if w := b.journal.waiting; len(w.Messages) > 0 || len(w.DisableTools) > 0 {
		t.Errorf("the journal still has %+v", w)
	}
}

// TestWhatWaitsBelongsToItsConversation resumes another conversation, and then clears the history.
func TestWhatWaitsBelongsToItsConversation(t *testing.T) {
	t.Parallel()
	b := start(t, options{maxSteps: 1, hooks: once(hookpoint.AfterToolExecution), tools: []tool.Tool{echo("Read")}},
		calls("", `Read {"path":"x"}`), text("ok"))
	if err := b.Send(t.Context(), "one"); !errors.Is(err, conversation.ErrStepLimit) {
		t.Fatal(err)
	}
	other := conversation.Waiting{Messages: []llm.Message{{Role: "system", Content: "theirs"}}}
	if err := b.Resume([]llm.Message{{Role: llm.RoleUser, Content: "zero"}}, other, nil, nil); err != nil {
		t.Fatal(err)
	}
	b.send(t, "two")
	same(t, "sent", b.sent(t, 2), []string{"user:zero", "assistant:theirs", "user:two"})
	same(t, "offered", b.offered(2), "Read")

	b = start(t, options{maxSteps: 1, hooks: once(hookpoint.AfterToolExecution), tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`))
	if err := b.Send(t.Context(), "one"); !errors.Is(err, conversation.ErrStepLimit) {
		t.Fatal(err)
	}
	if err := b.SetHistory(nil); err != nil {
		t.Fatal(err)
	}
	same(t, "messages that wait", len(b.journal.waiting.Messages), 0)
}
