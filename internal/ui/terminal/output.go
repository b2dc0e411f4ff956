package terminal

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// headLines and tailLines limit how many lines of a tool's output are shown: the first ones as they arrive, the last ones at
	// the end.
	headLines = 30
	tailLines = 10
	// lineWidth is how much of a line is shown, in runes.
	lineWidth = 240
	// lineBytes is how much of an unfinished line is kept, in bytes.
	lineBytes = 4 << 10
)

// Output selects which lines of a running tool's output are shown: the first ones as they arrive, and at the end the number of
// omitted lines and the last ones. Blanks, tabs and quotes stay as they are. The lines are not cleaned.
type Output struct {
	count int
	// rest is an unfinished line. last holds the last lines that were not shown.
	rest string
	last []string
}

// Next returns the lines to show after the next piece.
func (o *Output) Next(piece string) []string {
	var out []string
	text := o.rest + piece
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended && len(text) < lineBytes {
			break
		}
		out = append(out, o.add(line)...)
		text = rest
	}
	o.rest = text
	return out
}

func (o *Output) add(line string) []string {
	o.count++
	line = cut(line, lineWidth)
	if o.count <= headLines {
		return []string{line}
	}
	if len(o.last) == tailLines {
		o.last = slices.Delete(o.last, 0, 1)
	}
	o.last = append(o.last, line)
	return nil
}

// Left returns how many lines are currently not shown.
func (o *Output) Left() int { return max(0, o.count-headLines) }

// End returns the lines to show at the end.
func (o *Output) End() []string {
	var out []string
	if o.rest != "" {
		out = o.add(o.rest)
	}
	if left := o.Left() - len(o.last); left > 0 {
		out = append(out, fmt.Sprintf("… %d more %s; the session keeps the result", left, plural(left, "line")))
	}
	return append(out, o.last...)
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// cut shortens a line to limit runes and appends the number of omitted runes.
func cut(line string, limit int) string {
	line = strings.TrimSuffix(line, "\r")
	runes := []rune(line)
	if len(runes) <= limit {
		return line
	}
	return fmt.Sprintf("%s… (%d more)", string(runes[:limit]), len(runes)-limit)
}
