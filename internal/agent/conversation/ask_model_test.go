package conversation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
)

// TestAsk checks that a tool can call the model of the conversation: the call is charged, no turn, and ends with the token budget.
func TestAsk(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		budget int
		reply  reply
		want   string
		tokens int
	}{
		"answered":        {0, text("found"), "found", 36},
		"within a budget": {50, text("found"), "found", 36},
		"over the budget": {12, text("found"), "token budget used up", 12},
		"failed":          {0, fails("server", "broken"), "asking model fake of provider fakes: server: broken", 24},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			asks := newTool("Asks", true, func(ctx context.Context, call tool.Call) (string, error) {
				response, err := call.Ask(ctx, llm.Request{Model: "ignored", Search: 3, Messages: []llm.Message{{Role: llm.RoleUser, Content: "words"}}})
				if got = response.Message.Content; err != nil {
					got = err.Error()
				}
				if errors.Is(err, conversation.ErrBudget) {
					got = "token budget used up"
				}
				return got, err
			})
			first := func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
				response, err := calls("", `Asks {"path":"x"}`)(t.Context(), llm.Request{}, nil)
				response.Usage = llm.Usage{Input: 10, Output: 2}
				return response, err
			}
			b := start(t, options{tools: []tool.Tool{asks}, change: func(c *conversation.Config) { c.TokenBudget = test.budget }}, first, test.reply, text("done"))
			err := b.Send(t.Context(), "go")
			if over := test.tokens == 12; errors.Is(err, conversation.ErrBudget) != over || !over && err != nil {
				t.Errorf("got error %v", err)
			}
			stats := b.Stats()
			if got != test.want || stats.TokensIn+stats.TokensOut != test.tokens {
				t.Errorf("got %q and %d tokens, want %q and %d", got, stats.TokensIn+stats.TokensOut, test.want, test.tokens)
			}
			deltas := 0
			for _, e := range b.events {
				if d, ok := e.(event.Delta); ok && d.Text == "found" {
					deltas++
				}
			}
			if deltas > 0 || stats.Turns > 2 {
				t.Errorf("%d pieces of the answer were shown, in %d turns", deltas, stats.Turns)
			}
			if test.tokens > 12 && (b.model.requests[1].Model != "fake" || b.model.requests[1].Search != 3) {
				t.Errorf("the request is %+v", b.model.requests[1])
			}
		})
	}
}
