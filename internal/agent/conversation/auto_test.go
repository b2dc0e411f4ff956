package conversation

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/todo"
)

// TestUnfinished checks when an agent that stops is asked to continue.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	list := func(statuses ...todo.Status) *todo.List {
		var l todo.List
		var items []todo.Item
		for i, status := range statuses {
			items = append(items, todo.Item{ID: i + 1, Content: string(status), Status: status})
		}
		if err := l.Set(items); err != nil {
			t.Fatal(err)
		}
		return &l
	}
	for name, row := range map[string]struct {
		on    bool
		todos *todo.List
		want  bool
	}{
		"off":         {false, list(todo.Pending), false},
		"no list":     {true, nil, false},
		"empty list":  {true, list(), false},
		"pending":     {true, list(todo.Completed, todo.Pending), true},
		"in progress": {true, list(todo.InProgress), true},
		"completed":   {true, list(todo.Completed), false},
	} {
		a := autoMode{todos: row.todos}
		a.set(row.on)
		if got := a.unfinished(); got != row.want || a.active() != row.on {
			t.Errorf("%s: got %t", name, got)
		}
	}
	a := autoMode{todos: list(todo.Completed, todo.Pending)}
	if got := a.reminder(); !strings.Contains(got, "2. [pending] pending\n") || strings.Contains(got, "1. ") {
		t.Errorf("got %q", got)
	}
}
