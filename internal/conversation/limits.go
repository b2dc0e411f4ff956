package conversation

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/todo"
)

// Left returns how many tokens of the budget are left, and whether there is a budget.
func (c *Conversation) Left() (int, bool) {
	budget := c.personas.budget()
	return c.ledger.left(budget), budget > 0
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
	c.transcript.record(entry{Message: m})
	c.cfg.Emit(event.Message{Role: string(m.Role), Content: m.Content, Auto: true})
}
