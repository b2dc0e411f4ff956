package lineedit

import (
	"slices"
	"sort"
	"strings"
)

// View is the text laid out in rows. It is safe for a terminal: each character that is invisible or changes the order of others is
// replaced by its name.
type View struct {
	Rows []string
	// Row and Column are the place of the cursor, counted from 0. Column is less than the width.
	Row, Column int
}

// minWidth is the width of the widest cluster, in columns.
const minWidth = 2

// layout holds the lines as they were laid out last. An edit changes few lines, and only those are laid out again.
type layout struct {
	width int
	lines []line
	// stale is set if the text has changed since.
	stale bool
}

type line struct {
	fragment
	// at is the place of the line in the text, in bytes.
	at   int
	rows []row
}

// View lays the text out in rows of at most width columns. A width below 2 counts as 2: some characters take two columns.
func (e *Editor) View(width int) View {
	lines := e.laidOut(width)
	rows := 0
	for i := range lines {
		rows += len(lines[i].rows)
	}
	v := View{Rows: make([]string, 0, rows)}
	for i := range lines {
		l := &lines[i]
		if at := e.cursor - l.at; at >= 0 && at <= len(l.text) {
			r := l.rowOf(at)
			v.Row, v.Column = len(v.Rows)+r, l.column(r, at)
		}
		for _, r := range l.rows {
			v.Rows = append(v.Rows, r.text)
		}
	}
	return v
}

// Up moves the cursor one row up, in rows of the given width. It reports false if the cursor is in the first row.
func (e *Editor) Up(width int) bool { return e.vertical(width, -1) }

// Down moves the cursor one row down, in rows of the given width. It reports false if the cursor is in the last row.
func (e *Editor) Down(width int) bool { return e.vertical(width, 1) }

// vertical moves the cursor by one row, and keeps its column if the row is long enough. It skips rows in which the cursor
// has no place, because they show the middle of a placeholder.
func (e *Editor) vertical(width, by int) bool {
	lines := e.laidOut(width)
	i := sort.Search(len(lines), func(i int) bool { return lines[i].at > e.cursor }) - 1
	r := lines[i].rowOf(e.cursor - lines[i].at)
	goal := lines[i].column(r, e.cursor-lines[i].at)
	if e.last == vertical {
		goal = e.goal
	}
	for {
		r += by
		switch {
		case r < 0 && i == 0, r == len(lines[i].rows) && i == len(lines)-1:
			return false
		case r < 0:
			i--
			r = len(lines[i].rows) - 1
		case r == len(lines[i].rows):
			i, r = i+1, 0
		}
		if at := lines[i].at + lines[i].place(r, goal); lines[i].rowOf(at-lines[i].at) == r {
			e.begin(vertical)
			e.goal, e.cursor = goal, at
			return true
		}
	}
}

// rowOf returns the index of the row that shows the cursor at a place of the line.
func (l *line) rowOf(at int) int {
	return sort.Search(len(l.rows), func(i int) bool { return l.rows[i].from > at }) - 1
}

// column returns the column of a place in a row.
func (l *line) column(r, at int) int {
	column := l.rows[r].lead
	for c := range l.cells(l.rows[r].from, at) {
		_, columns := l.shown(c)
		column += columns
	}
	return column
}

// place returns the last place in a row whose column is at most the given one, or else the first.
func (l *line) place(r, column int) int {
	from, to := l.rows[r].from, len(l.text)
	if r+1 < len(l.rows) {
		to = l.rows[r+1].from
	}
	at := l.rows[r].lead
	for c := range l.cells(from, to) {
		_, columns := l.shown(c)
		if at += columns; at > column || c.to == to && r+1 < len(l.rows) {
			return c.from
		}
		from = c.to
	}
	return from
}

// laidOut returns the lines in rows of at most width columns.
func (e *Editor) laidOut(width int) []line {
	width = max(width, minWidth)
	old := e.layout.lines
	switch {
	case width != e.layout.width:
		old = nil
	case !e.layout.stale:
		return old
	}
	lines := e.lines()
	reuse := func(fresh, old *line) bool {
		if !fresh.equal(old.fragment) {
			return false
		}
		fresh.rows = old.rows
		return true
	}
	head, tail := 0, 0
	for most := min(len(lines), len(old)); head < most && reuse(&lines[head], &old[head]); {
		head++
	}
	for most := min(len(lines), len(old)) - head; tail < most && reuse(&lines[len(lines)-1-tail], &old[len(old)-1-tail]); {
		tail++
	}
	for i := head; i < len(lines)-tail; i++ {
		lines[i].rows = wrap(lines[i].fragment, width)
	}
	e.layout = layout{width: width, lines: lines}
	return lines
}

// lines splits the text into lines.
func (e *Editor) lines() []line {
	lines := slices.Grow([]line(nil), strings.Count(e.body.text, "\n")+1)
	at := 0
	for text := range strings.SplitSeq(e.body.text, "\n") {
		lines = append(lines, line{at: at, fragment: e.body.line(at, at+len(text))})
		at += len(text) + 1
	}
	return lines
}
