package tui

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestTodoRows checks which todos the live area shows, and in which order.
func TestTodoRows(t *testing.T) {
	t.Parallel()
	items := func(text string) []todo.Item {
		var out []todo.Item
		for name := range strings.FieldsSeq(text) {
			status := map[byte]todo.Status{'+': todo.Completed, '>': todo.InProgress, '.': todo.Pending}[name[0]]
			out = append(out, todo.Item{Content: name[1:], Status: status})
		}
		return out
	}
	for name, row := range map[string]struct {
		items string
		most  int
		want  string
	}{
		"none":                  {"", 5, ""},
		"all completed":         {"+a +b", 5, ""},
		"in progress first":     {"+a .b >c", 5, "todos: 1 of 3 completed|  ▸ c|  ○ b"},
		"too many":              {".a .b .c >d", 3, "todos: 0 of 4 completed, 2 mo…|  ▸ d|  ○ a"},
		"exactly":               {".a .b", 3, "todos: 0 of 2 completed|  ○ a|  ○ b"},
		"one row":               {".a >b", 1, "todos: 0 of 2 completed"},
		"no room":               {".a", 0, ""},
		"cut":                   {">a-long-text-that-does-not-fit-at-all", 2, "todos: 0 of 1 completed|  ▸ a-long-text-that-does-not…"},
		"controls of the model": {">a\x1b[31m", 2, "todos: 0 of 1 completed|  ▸ a"},
	} {
		var got []string
		for _, r := range todoRows(items(row.items), &terminal.Look{}, 30, row.most) {
			got = append(got, string(r))
		}
		if text := strings.Join(got, "|"); text != row.want {
			t.Errorf("%s: got %q, want %q", name, text, row.want)
		}
	}
}
