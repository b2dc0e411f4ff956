package docs

import (
	"strings"
	"testing"
)

// section returns the text below a heading, up to the next heading of the same or a higher level.
func section(t *testing.T, page, title string) string {
	t.Helper()
	level, _, _ := strings.Cut(title, " ")
	var out []string
	inside := false
	for line := range strings.SplitSeq(page, "\n") {
		marks, _, found := strings.Cut(line, " ")
		if found && strings.Trim(marks, "#") == "" && marks != "" {
			if inside && len(marks) <= len(level) {
				break
			}
			inside = inside || line == title
			continue
		}
		if inside {
			out = append(out, line)
		}
	}
	if !inside {
		t.Fatalf("there is no heading %q", title)
	}
	return strings.Join(out, "\n")
}

// tables returns the cells of the tables in a text, without their headings.
func tables(text string) [][][]string {
	var out [][][]string
	row := 0
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "| ") {
			row = 0
			continue
		}
		row++
		if row == 1 {
			out = append(out, nil)
		}
		if row <= 2 {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out[len(out)-1] = append(out[len(out)-1], cells)
	}
	return out
}

// unquoted removes the backquotes around a word.
func unquoted(cell string) string { return strings.Trim(cell, "`") }

// codes returns the words in backquotes.
func codes(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}
