package conversation

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/sdk"
)

// affordable returns an error if the token budget permits no further model call.
func (c *Conversation) affordable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if budget := c.personas.budget(); budget > 0 && c.ledger.spent >= budget {
		return fmt.Errorf("%w: the session has used %d of %d tokens; allow more with --token-budget, or start another session",
			ErrBudget, c.ledger.spent, budget)
	}
	return nil
}

// Left returns how many tokens of the budget are left, and whether there is a budget.
func (c *Conversation) Left() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	budget := c.personas.budget()
	return max(budget-c.ledger.spent, 0), budget > 0
}

// guess charges an estimate for a call for which the provider reported no usage. The caller holds the lock.
func (c *Conversation) guess(response llm.Response, request func() sdk.TokenState) {
	if c.personas.budget() > 0 && response.Usage == (llm.Usage{}) {
		c.ledger.spent += request().Estimate + estimate(response.Message)
	}
}

// unfinished reports whether auto mode is on and todos are open.
func (c *Conversation) unfinished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.auto && c.cfg.Todos.Counts().Open() > 0
}

// urge asks the agent, on behalf of the user, to continue with its open todos.
func (c *Conversation) urge() {
	var b strings.Builder
	b.WriteString("These todos are not completed yet:\n")
	for _, item := range c.cfg.Todos.Items() {
		if item.Status != todo.Completed {
			fmt.Fprintf(&b, "%d. [%s] %s\n", item.ID, item.Status, item.Content)
		}
	}
	b.WriteString("Go on with them, and note your progress.")
	m := llm.Message{Role: llm.RoleUser, Content: b.String(), Synthetic: true}
	c.record(entry{Message: m})
	c.cfg.Emit(event.Message{Role: string(m.Role), Content: m.Content, Auto: true})
}
