package acp

import (
	"fmt"
	"strings"
)

// hunk is a part of a file before and after a change.
type hunk struct {
	// from and to are the names of the file before and after; empty if there is no such file.
	from, to string
	// line is the first line after the change, counted from 1.
	line          int
	before, after string
}

// hunks reads a unified diff. It leaves out what it does not understand, such as the end of a diff that was cut.
func hunks(unified string) []hunk {
	var out []hunk
	var from, to string
	var now hunk
	// Each hunk says how many lines of it follow. A removed line may look like the name of a file.
	var minus, plus int
	for line := range strings.Lines(unified) {
		switch {
		case minus > 0 && strings.HasPrefix(line, "-"):
			now.before += line[1:]
			minus--
		case plus > 0 && strings.HasPrefix(line, "+"):
			now.after += line[1:]
			plus--
		case minus > 0 && plus > 0 && strings.HasPrefix(line, " "):
			now.before, now.after = now.before+line[1:], now.after+line[1:]
			minus--
			plus--
		case strings.HasPrefix(line, `\`) && len(out) > 0 && minus == 0 && plus == 0:
			// The last line that was added to the hunk has no newline. It is the last of the file, so both texts may end with it.
			out[len(out)-1].trim()
			continue
		case strings.HasPrefix(line, `\`):
			now.before = strings.TrimSuffix(now.before, "\n")
			continue
		case strings.HasPrefix(line, "--- "):
			from, minus, plus = fileOf(line, "--- ", "a/"), 0, 0
			continue
		case strings.HasPrefix(line, "+++ "):
			to = fileOf(line, "+++ ", "b/")
			continue
		default:
			now = hunk{from: from, to: to}
			var ok bool
			if minus, plus, now.line, ok = counts(line); !ok {
				minus, plus = 0, 0
			}
			continue
		}
		if minus == 0 && plus == 0 {
			out = append(out, now)
		}
	}
	return out
}

// trim removes the newline at the end of the text that the last line belongs to.
func (h *hunk) trim() {
	if strings.HasSuffix(h.before, "\n") && strings.HasSuffix(h.after, "\n") && lastLine(h.before) == lastLine(h.after) {
		h.before = strings.TrimSuffix(h.before, "\n")
	}
	h.after = strings.TrimSuffix(h.after, "\n")
}

func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// counts reads the head of a hunk: how many lines of both texts follow, and the first line of the text after the change.
func counts(head string) (minus, plus, line int, ok bool) {
	before, after, found := strings.Cut(strings.TrimPrefix(head, "@@ -"), " +")
	after, _, closed := strings.Cut(after, " @@")
	if !strings.HasPrefix(head, "@@ -") || !found || !closed {
		return 0, 0, 0, false
	}
	_, minus, ok1 := span(before)
	line, plus, ok2 := span(after)
	return minus, plus, line, ok1 && ok2
}

// span reads "START,COUNT" or "START".
func span(text string) (start, count int, ok bool) {
	count = 1
	n, _ := fmt.Sscanf(text, "%d,%d", &start, &count) // the number of values says what was read
	return start, count, n > 0 && start >= 0 && count >= 0
}

// fileOf returns the file that a line of a diff names; empty if there is none.
func fileOf(line, head, side string) string {
	name, found := strings.CutPrefix(strings.TrimRight(strings.TrimPrefix(line, head), "\n"), side)
	if !found {
		return ""
	}
	return name
}

// diffs returns a unified diff as the client shows it, and the places that it changes.
func (f *front) diffs(unified string) (out []callContent, places []location) {
	for _, h := range hunks(unified) {
		name := h.to
		if name == "" {
			name = h.from
		}
		if name == "" {
			continue
		}
		one := callContent{Type: "diff", Path: f.absolute(name), OldText: &h.before, NewText: &h.after}
		if h.from == "" {
			one.OldText = nil
		}
		out = append(out, one)
		places = append(places, location{Path: one.Path, Line: h.line})
	}
	return out, places
}
