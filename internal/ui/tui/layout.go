package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// inputWidth is how wide the text of the input can be.
func (u *UI) inputWidth() int { return max(u.columns-3, 1) }

// layout returns the rows of the live area and the position of the cursor.
func (u *UI) layout() (rows []terminal.Styled, row, column int) {
	height := max(u.rows-1, 1)
	below := u.belowRows()
	view := u.input.editor.View(u.inputWidth())
	mark := "> "
	if u.question.active() {
		below, view, mark = nil, u.question.view(u.inputWidth()), u.question.mark()
	}
	asked := u.question.rows(u)
	typedRows, typedRow := window(view.Rows, view.Row, max(height-len(below)-len(asked)-1, 1))
	var above []terminal.Styled
	u.show.asking = u.question != nil
	above = append(above, u.fitting(u.show.live(u.columns, min(max(height/2, 1), liveRows), time.Now()))...)
	above = append(above, u.queueRows()...)
	above = append(above, asked...)
	above = append(above, u.look.Paint(terminal.Quiet, strings.Repeat("─", min(u.columns, ruleWidth))))
	if most := max(height-len(below)-len(typedRows), 0); len(above) > most {
		above = above[len(above)-most:]
	}
	rows = above
	for i, text := range typedRows {
		lead := u.look.Paint(terminal.Accent, "  ")
		if i == 0 {
			lead = u.look.Paint(terminal.Accent, mark)
		}
		text := lead + u.look.Paint(terminal.Plain, text)
		if i == typedRow && i == len(typedRows)-1 && !u.question.active() {
			text = terminal.CutRow(text+u.look.Paint(terminal.Quiet, u.ghost()), u.columns)
		}
		rows = append(rows, text)
	}
	return append(rows, below...), len(above) + typedRow, view.Column + 2
}

// fitting returns the last rows that fit into a low terminal after the terminal has become narrower. The last row is always among
// them.
func (u *UI) fitting(rows []terminal.Styled) []terminal.Styled {
	if !u.screen.Reflows {
		return rows
	}
	first, taken := len(rows), 0
	for first > 0 {
		taken += max((terminal.StyledWidth(rows[first-1])+ruleWidth-1)/ruleWidth, 1)
		if taken > narrowRows && first < len(rows) {
			break
		}
		first--
	}
	return rows[first:]
}

// window returns at most height rows around the row of the cursor.
func window(rows []string, row, height int) ([]string, int) {
	if len(rows) <= height {
		return rows, row
	}
	first := min(max(row-height+1, 0), len(rows)-height)
	return rows[first : first+height], row - first
}

// belowRows returns the rows below the input: the menu, a hint or the search, and the status line.
func (u *UI) belowRows() []terminal.Styled {
	var out []terminal.Styled
	m := u.input.menu
	first := max(0, m.at-menuRows+1)
	for i, item := range m.items[first:min(len(m.items), first+menuRows)] {
		style, lead := terminal.Plain, "  "
		if first+i == m.at {
			style, lead = terminal.Accent, "› "
		}
		text := u.look.Paint(style, lead+plaintext.Line(item.text))
		if item.about != "" {
			text += u.look.Paint(terminal.Quiet, "  "+plaintext.Line(item.about))
		}
		out = append(out, terminal.CutRow(text, u.columns))
	}
	if s := u.input.search; s != nil {
		text := "search: " + s.query
		if s.query != "" && !s.ok {
			text += " (not found)"
		}
		out = append(out, terminal.CutRow(u.look.Paint(terminal.Accent, text), u.columns))
	}
	if u.hint != "" {
		out = append(out, terminal.CutRow(u.look.Paint(terminal.Warning, u.hint), u.columns))
	}
	return append(out, terminal.CutRow(u.status.row(u), u.columns))
}

// queueRows returns the lines that wait.
func (u *UI) queueRows() []terminal.Styled {
	var out []terminal.Styled
	const most = 5
	for i, line := range u.queue {
		if i == most {
			out = append(out, u.look.Paint(terminal.Quiet, fmt.Sprintf("  … %d more queued", len(u.queue)-most)))
			break
		}
		out = append(out, terminal.CutRow(u.look.Paint(terminal.Quiet, "queued: "+plaintext.Line(line)), u.columns))
	}
	return out
}
