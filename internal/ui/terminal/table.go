package terminal

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	table "github.com/yuin/goldmark/extension/ast"
)

// cell is a cell of a table.
type cell struct {
	spans []span
	// width is the width of the cell's text on one line.
	width int
}

// table renders a table in columns if it is narrow enough. Otherwise it renders row by row, with the headers before the cells.
func (d layout) table(n *table.Table, width int) []Styled {
	var rows [][]cell
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := Plain
		if _, head := row.(*table.TableHeader); head {
			style = Strong
		}
		rows = append(rows, d.row(row, style))
	}
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.width)
		}
	}
	total := 3 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if total > width {
		return d.records(rows, width)
	}
	return d.columns(rows, widths, n.Alignments)
}

func (d layout) row(row ast.Node, s Style) []cell {
	var out []cell
	for n := row.FirstChild(); n != nil; n = n.NextSibling() {
		spans := d.inline(n, s)
		text := 0
		for i, w := range words(spans) {
			if i > 0 {
				text++
			}
			text += w.width()
		}
		out = append(out, cell{spans: spans, width: text})
	}
	return out
}

func (d layout) columns(rows [][]cell, widths []int, alignments []table.Alignment) []Styled {
	var out []Styled
	for i, row := range rows {
		var line strings.Builder
		for j, c := range row[:min(len(row), len(alignments))] {
			if j > 0 {
				line.WriteString(string(d.look.Paint(Quiet, " │ ")))
			}
			left, right := padding(widths[j]-c.width, alignments[j])
			if j == len(row)-1 {
				right = 0
			}
			line.WriteString(strings.Repeat(" ", left))
			for _, part := range d.look.wrap(c.spans, max(c.width, 1)) {
				line.WriteString(string(part))
			}
			line.WriteString(strings.Repeat(" ", right))
		}
		out = append(out, Styled(line.String()))
		if i == 0 {
			out = append(out, d.look.Paint(Quiet, rule(widths)))
		}
	}
	return out
}

// rule returns the line below the header.
func rule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return strings.Join(parts, "─┼─")
}

func padding(space int, a table.Alignment) (left, right int) {
	switch a {
	case table.AlignRight:
		return space, 0
	case table.AlignCenter:
		return space / 2, space - space/2
	default:
		return 0, space
	}
}

func (d layout) records(rows [][]cell, width int) []Styled {
	var out []Styled
	for i, row := range rows[1:] {
		if i > 0 {
			out = append(out, "")
		}
		for j, c := range row[:min(len(row), len(rows[0]))] {
			spans := append(append([]span{}, rows[0][j].spans...), span{style: Strong, text: ": "})
			out = append(out, prefixed(d.look.wrap(append(spans, c.spans...), width-2), "", "  ")...)
		}
	}
	if len(rows) == 1 {
		for _, c := range rows[0] {
			out = append(out, d.look.wrap(c.spans, width)...)
		}
	}
	return out
}
