package tui

import (
	"fmt"

	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// todoRows returns at most a number of rows about todos: how many are completed, then those that are in progress, then the next ones. It
// returns none if no todo is open.
func todoRows(items []todo.Item, look *terminal.Look, columns, most int) []terminal.Styled {
	var open []todo.Item
	for _, status := range []todo.Status{todo.InProgress, todo.Pending} {
		for _, item := range items {
			if item.Status == status {
				open = append(open, item)
			}
		}
	}
	if len(open) == 0 || most < 1 {
		return nil
	}
	head := fmt.Sprintf("todos: %d of %d completed", len(items)-len(open), len(items))
	shown := min(len(open), most-1)
	if left := len(open) - shown; left > 0 && shown > 0 {
		head += fmt.Sprintf(", %d more open", left)
	}
	out := []terminal.Styled{terminal.CutRow(look.Paint(terminal.Quiet, head), columns)}
	for _, item := range open[:shown] {
		style, mark := terminal.Quiet, "  ○ "
		if item.Status == todo.InProgress {
			style, mark = terminal.Plain, "  ▸ "
		}
		out = append(out, terminal.CutRow(look.Paint(style, mark+plaintext.Line(item.Content)), columns))
	}
	return out
}
