package tui

import (
	"strings"
	"time"

	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// ruleWidth is how wide the line above the input is at most. A terminal that becomes narrower may break it into two rows before aura
// knows, which would confuse the next frame. So it is no wider than the narrowest terminal that aura is made for.
const ruleWidth = 40

// todoLimit is how many rows of the live area show todos.
const todoLimit = 5

// area is what the live area consists of, from top to bottom.
type area struct {
	// live is what is going on, todos the open todos, queued the lines that wait, and asked the choices of a question.
	live                 []liveRow
	todos, queued, asked []terminal.Styled
	// typed is the text that is being typed, after a mark. ghost follows it.
	typed       lineedit.View
	mark, ghost string
	below       []terminal.Styled
}

// inputWidth is how wide a text that is being typed can be.
func (f *frame) inputWidth() int { return max(f.columns-3, 1) }

// room is how many rows the live area can have, and liveRoom how many of them show what is going on.
func (f *frame) room() int     { return max(f.rows-1, 1) }
func (f *frame) liveRoom() int { return min(max(f.room()/2, 1), liveRows) }

// todoRoom is how many rows the todos can have: fewer in a low terminal.
func (f *frame) todoRoom() int { return min(f.room()/4, todoLimit) }

// compose implements content.
func (u *UI) compose() picture {
	if p, ok := u.dialog.cover(); ok {
		return p
	}
	look, columns := u.frame.colours(), u.frame.width()
	u.show.asking = u.dialog.asking()
	a := area{
		live:   u.show.live(columns, time.Now()),
		todos:  todoRows(u.status.todos, look, columns, u.frame.todoRoom()),
		queued: u.queue.rows(look, columns),
		asked:  u.dialog.rows(),
		typed:  u.prompt.view(u.frame.inputWidth()), mark: "> ", ghost: u.prompt.ghost(),
		below: append(u.prompt.below(look, columns), terminal.CutRow(u.status.row(look), columns)),
	}
	if view, ok := u.dialog.typed(u.frame.inputWidth()); ok {
		a.typed, a.mark, a.ghost, a.below = view, "? ", "", nil
	}
	return u.frame.arrange(a)
}

// arrange returns the picture of a live area that fits into the terminal. Rows of what is going on are left out first.
func (f *frame) arrange(a area) picture {
	rows, row := window(a.typed.Rows, a.typed.Row, max(f.room()-len(a.below)-len(a.asked)-1, 1))
	above := append(append(f.fitting(a.live), a.todos...), a.queued...)
	above = append(above, a.asked...)
	above = append(above, f.look.Paint(terminal.Quiet, strings.Repeat("─", min(f.columns, ruleWidth))))
	if most := max(f.room()-len(a.below)-len(rows), 0); len(above) > most {
		above = above[len(above)-most:]
	}
	out := above
	for i, text := range rows {
		lead := f.look.Paint(terminal.Accent, "  ")
		if i == 0 {
			lead = f.look.Paint(terminal.Accent, a.mark)
		}
		text := lead + f.look.Paint(terminal.Plain, text)
		if i == row && i == len(rows)-1 && a.mark == "> " {
			text = terminal.CutRow(text+f.look.Paint(terminal.Quiet, a.ghost), f.columns)
		}
		out = append(out, text)
	}
	return picture{append(out, a.below...), len(above) + row, a.typed.Column + 2}
}

// fitting returns the rows of what is going on that fit: into the room for them, and into a low terminal after it has become narrower, where
// each takes several rows.
func (f *frame) fitting(rows []liveRow) []terminal.Styled {
	rows = fit(rows, f.liveRoom(), func(terminal.Styled) int { return 1 })
	if f.screen.Reflows {
		rows = fit(rows, narrowRows, func(text terminal.Styled) int { return max((terminal.StyledWidth(text)+ruleWidth-1)/ruleWidth, 1) })
	}
	var out []terminal.Styled
	for _, row := range rows {
		out = append(out, row.text)
	}
	return out
}

// fit leaves out rows until the others take at most a number of rows: first those that are no heads, then heads, each from the top. The last
// row stays.
func fit(rows []liveRow, most int, height func(terminal.Styled) int) []liveRow {
	taken := 0
	for _, row := range rows {
		taken += height(row.text)
	}
	for _, head := range []bool{false, true} {
		var kept []liveRow
		for i, row := range rows {
			if taken > most && row.head == head && i < len(rows)-1 {
				taken -= height(row.text)
				continue
			}
			kept = append(kept, row)
		}
		rows = kept
	}
	return rows
}

// window returns at most height rows around the row of the cursor.
func window(rows []string, row, height int) ([]string, int) {
	if len(rows) <= height {
		return rows, row
	}
	first := min(max(row-height+1, 0), len(rows)-height)
	return rows[first : first+height], row - first
}
