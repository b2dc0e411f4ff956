package conversation_test

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/agent/tool"
)

// TestComposition checks what fills the context, and that the parts add up to the estimate.
func TestComposition(t *testing.T) {
	t.Parallel()
	b := start(t, options{system: "a system prompt", tools: []tool.Tool{echo("Write")}, change: func(cfg *conversation.Config) {
		cfg.History = []llm.Message{{Role: llm.RoleUser, Content: "a summary of before", Synthetic: true}}
	}}, calls("I write", `Write {"path":"x"}`), text("Written."))
	if err := b.Send(t.Context(), "write something"); err != nil {
		t.Fatal(err)
	}
	got := b.Composition()
	if sum := got.System + got.Tools + got.Prompts + got.Answers + got.Results + got.Added; sum != b.Context().Tokens.Estimate {
		t.Errorf("the parts %+v add up to %d, the estimate is %d", got, sum, b.Context().Tokens.Estimate)
	}
	if got.Tools == 0 || got.Answers == 0 || got.Results == 0 {
		t.Errorf("got %+v", got)
	}
	same(t, "the texts", []int{got.System, got.Prompts, got.Added},
		[]int{tokens.Estimate("a system prompt"), tokens.Estimate("write something"), tokens.Estimate("a summary of before")})
}
