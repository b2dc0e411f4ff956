package tui

import (
	"fmt"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// queue holds the lines that wait for the session.
type queue struct {
	lines []string
	// busy is set while the session works on a line.
	busy bool
	// sendNow is set if the next line is sent although the turn was interrupted.
	sendNow bool
	// held is how many of the lines, from the last on, wait for the user.
	held int
}

// add appends lines.
func (q *queue) add(lines ...string) { q.lines = append(q.lines, lines...) }

// addFirst adds a line before the others.
func (q *queue) addFirst(line string) { q.lines = append([]string{line}, q.lines...) }

// next returns the line that the idle session gets, and removes it from the queue.
func (q *queue) next() (line string, ok bool) {
	if q.busy || len(q.lines) <= q.held {
		return "", false
	}
	return q.first()
}

// first removes the first line.
func (q *queue) first() (line string, ok bool) {
	if len(q.lines) == 0 {
		return "", false
	}
	line, q.lines = q.lines[0], q.lines[1:]
	q.held = min(q.held, len(q.lines))
	return line, true
}

// last removes the last line.
func (q *queue) last() (line string, ok bool) {
	if len(q.lines) == 0 {
		return "", false
	}
	n := len(q.lines) - 1
	line, q.lines = q.lines[n], q.lines[:n]
	q.held = min(q.held, n)
	return line, true
}

// finish ends the work on a line. It reports whether the rest of the queue must not be sent: it was typed for an answer that did not
// come, so the user decides.
func (q *queue) finish(failed bool) (holds bool) {
	holds = failed && !q.sendNow
	q.busy, q.sendNow = false, false
	return holds
}

// hold keeps the lines until release. Lines that are added first go on.
func (q *queue) hold()    { q.held = len(q.lines) }
func (q *queue) release() { q.held = 0 }

// rows returns the lines that wait.
func (q *queue) rows(look *terminal.Look, columns int) []terminal.Styled {
	var out []terminal.Styled
	const most = 5
	for i, line := range q.lines {
		if i == most {
			out = append(out, look.Paint(terminal.Quiet, fmt.Sprintf("  … %d more queued", len(q.lines)-most)))
			break
		}
		mark := "queued: "
		if i >= len(q.lines)-q.held {
			mark = "waiting: "
		}
		out = append(out, terminal.CutRow(look.Paint(terminal.Quiet, mark+plaintext.Line(line)), columns))
	}
	return out
}
