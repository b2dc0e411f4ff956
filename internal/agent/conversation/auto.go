package conversation

import (
	"fmt"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/todo"
)

// autoMode decides whether an agent that stops is asked to continue, and with which words.
type autoMode struct {
	// todos may be nil.
	todos *todo.List

	mu sync.Mutex
	on bool
}

func (a *autoMode) set(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = on
}

// active reports whether auto mode is on.
func (a *autoMode) active() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.on
}

// unfinished reports whether auto mode is on and todos are open.
func (a *autoMode) unfinished() bool { return a.active() && a.todos.Counts().Open() > 0 }

// reminder returns the text that asks the agent, on behalf of the user, to continue with its open todos.
func (a *autoMode) reminder() string {
	var b strings.Builder
	b.WriteString("These todos are not completed yet:\n")
	for _, item := range a.todos.Items() {
		if item.Status != todo.Completed {
			fmt.Fprintf(&b, "%d. [%s] %s\n", item.ID, item.Status, item.Content)
		}
	}
	b.WriteString("Go on with them, and note your progress.")
	return b.String()
}
