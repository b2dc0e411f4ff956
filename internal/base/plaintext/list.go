package plaintext

import (
	"strings"
	"unicode/utf8"
)

const (
	// listWidth is how wide a list is at most, in characters, as long as its words are not longer.
	listWidth = 80
	// termWidth is how wide a term of a list can be that has its meaning beside it.
	termWidth = 24
)

// List returns terms and their meanings in two columns. The meaning of a long term begins in the next line.
func List(rows [][2]string) string {
	column := 0
	for _, row := range rows {
		if width := utf8.RuneCountInString(row[0]); width <= termWidth {
			column = max(column, width)
		}
	}
	column += 2
	indent := strings.Repeat(" ", column)
	var out []string
	for _, row := range rows {
		line, width := row[0], utf8.RuneCountInString(row[0])
		if width+2 > column {
			out = append(out, line)
			line, width = "", 0
		}
		line, width = line+indent[width:], column
		for i, word := range strings.Fields(row[1]) {
			size := utf8.RuneCountInString(word)
			switch {
			case i == 0:
			case width+1+size > listWidth:
				out = append(out, line)
				line, width = indent, column
			default:
				line, width = line+" ", width+1
			}
			line, width = line+word, width+size
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.Join(out, "\n")
}
