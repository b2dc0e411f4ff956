package lineedit

import "slices"

// Left moves the cursor one cell to the left.
func (e *Editor) Left() { e.move(e.body.left(e.cursor)) }

// Right moves the cursor one cell to the right.
func (e *Editor) Right() { e.move(e.body.right(e.cursor)) }

// WordLeft moves the cursor to the beginning of the word at its left.
func (e *Editor) WordLeft() { e.move(e.wordLeft()) }

// WordRight moves the cursor to the end of the word at its right.
func (e *Editor) WordRight() { e.move(e.wordRight()) }

// LineStart moves the cursor to the beginning of its line.
func (e *Editor) LineStart() {
	from, _ := e.body.bounds(e.cursor)
	e.move(from)
}

// LineEnd moves the cursor to the end of its line.
func (e *Editor) LineEnd() {
	_, to := e.body.bounds(e.cursor)
	e.move(to)
}

func (e *Editor) move(to int) {
	e.begin(other)
	e.cursor = to
}

// wordLeft returns the beginning of the word at the left of the cursor. It looks at whole lines: the cells of a line are only
// known from its beginning on.
func (e *Editor) wordLeft() int {
	for at := e.cursor; ; {
		from, _ := e.body.bounds(at)
		cells := slices.Collect(e.body.cells(from, at))
		i := len(cells)
		for i > 0 && !e.body.isWord(cells[i-1]) {
			i--
		}
		if i == 0 && from > 0 {
			at = from - 1
			continue
		}
		if i == 0 {
			return 0
		}
		for i--; i > 0 && sameWord(e.body, cells[i-1], cells[i]); {
			i--
		}
		return cells[i].from
	}
}

// wordRight returns the end of the word at the right of the cursor.
func (e *Editor) wordRight() int {
	for at := e.cursor; ; at++ {
		_, to := e.body.bounds(at)
		var last *cell
		for c := range e.body.cells(at, to) {
			if last != nil && !sameWord(e.body, *last, c) {
				return last.to
			}
			if e.body.isWord(c) {
				last = &c
			}
		}
		if last != nil || to == len(e.body.text) {
			return to
		}
		at = to
	}
}

// sameWord reports whether two neighbours belong to one word. A placeholder is a word of its own.
func sameWord(f fragment, a, b cell) bool {
	return !a.paste && !b.paste && f.isWord(a) && f.isWord(b)
}
