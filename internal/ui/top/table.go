package top

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// gap is the space between two columns.
const gap = 2

// Cells returns the table with all columns and whole cells, for programs. The first line has the titles. The cells are not cleaned.
func Cells(rows []Row) [][]string {
	out := make([][]string, 1, len(rows)+1)
	for _, c := range columns {
		out[0] = append(out[0], c.title)
	}
	for _, r := range rows {
		var line []string
		for _, c := range columns {
			line = append(line, c.cell(r))
		}
		out = append(out, line)
	}
	return out
}

// Lines returns the table as plain text in lines of at most width columns. The first line has the titles. If the screen is too narrow, the
// less important columns are left out and long names are cut.
func Lines(rows []Row, width int) []string {
	cells := Cells(rows)
	for _, line := range cells {
		for i := range line {
			line[i] = plaintext.Line(line[i])
		}
	}
	widths := fit(cells, width)
	lines := make([]string, len(cells))
	for i, line := range cells {
		lines[i] = cut(join(line, widths), width)
	}
	return lines
}

// join aligns the cells of a line. It leaves out columns of width 0.
func join(line []string, widths []int) string {
	var out strings.Builder
	for i, cell := range line {
		if widths[i] == 0 {
			continue
		}
		if out.Len() > 0 {
			out.WriteString(strings.Repeat(" ", gap))
		}
		if columns[i].tail {
			cell = fitTail(cell, widths[i])
		} else {
			cell = cut(cell, widths[i])
		}
		filling := strings.Repeat(" ", max(0, widths[i]-terminal.Width(cell)))
		if columns[i].number {
			out.WriteString(filling + cell)
		} else {
			out.WriteString(cell + filling)
		}
	}
	return strings.TrimRight(out.String(), " ")
}

// fit returns the widths of the columns. The width of a column that is left out is 0.
func fit(cells [][]string, width int) []int {
	natural := make([]int, len(columns))
	for _, line := range cells {
		for i, cell := range line {
			natural[i] = max(natural[i], terminal.Width(cell))
		}
	}
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return columns[a].rank - columns[b].rank })
	widths := make([]int, len(columns))
	rest := width + gap
	for _, i := range order {
		least := natural[i]
		if columns[i].shrinks > 0 {
			least = min(least, columns[i].shrinks)
		}
		if least+gap > rest {
			break
		}
		widths[i] = least
		rest -= least + gap
	}
	if widths[order[0]] == 0 {
		widths[order[0]] = width // the screen is narrower than the shortest cell
		return widths
	}
	// What is left goes to the columns that were cut.
	for _, i := range order {
		if widths[i] > 0 {
			more := min(rest, natural[i]-widths[i])
			widths[i] += more
			rest -= more
		}
	}
	return widths
}

// cut returns the beginning of a text on one line, in at most width columns. Unlike terminal.Fit it keeps blanks, which align columns.
func cut(text string, width int) string {
	return displaywidth.TruncateString(blanks.Replace(plaintext.Show(text)), max(0, width), "…")
}

var blanks = strings.NewReplacer("\n", " ", "\t", " ")

// fitTail returns the end of a text in at most width columns.
func fitTail(text string, width int) string {
	if terminal.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	used, first := 1, len(runes)
	for first > 0 && used <= width {
		first--
		used += terminal.Width(string(runes[first]))
	}
	// Characters that are wider together than one by one still do not fit.
	runes = runes[first:]
	for len(runes) > 0 && terminal.Width("…"+string(runes)) > width {
		runes = runes[1:]
	}
	return "…" + string(runes)
}
