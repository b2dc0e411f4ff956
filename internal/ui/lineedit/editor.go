// Package lineedit holds the text that a user types: editing, the cursor, undo, and how the text is laid out in rows. It neither
// reads keys nor writes to a terminal.
//
// The cursor moves by cells. A cell is a grapheme cluster, such as a letter with its marks or an emoji made of several, or the
// placeholder of a long paste. Places are in bytes of Value.
package lineedit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// A paste of more lines or bytes than these becomes a placeholder.
	maxPasteLines = 5
	maxPasteBytes = 600

	tab = "    "
)

// Editor is a text and a cursor. The zero value is empty and ready to use. An Editor is for one goroutine, and must not be copied.
type Editor struct {
	body   fragment
	cursor int
	// pastes counts the placeholders that were made.
	pastes int
	// last is the kind of the latest step.
	last step
	// goal is the column that Up and Down keep, valid while last is vertical.
	goal   int
	killed fragment
	undo   undo
	layout layout
}

// step is a kind of step. Some steps continue a previous step of the same kind.
type step int

const (
	other step = iota
	typing
	erasing
	killing
	vertical
)

// begin starts a step and reports whether the previous one was of the same kind.
func (e *Editor) begin(kind step) (again bool) {
	again = e.last == kind
	e.last = kind
	return again
}

// Value returns the text with placeholders as they are shown.
func (e *Editor) Value() string { return e.body.text }

// Text returns the text with placeholders replaced by what was pasted.
func (e *Editor) Text() string { return e.body.expanded() }

// Empty reports whether there is no text.
func (e *Editor) Empty() bool { return e.body.text == "" }

// Cursor returns the place of the cursor.
func (e *Editor) Cursor() int { return e.cursor }

// SetCursor moves the cursor to a place. If the place is within a cell, the cursor moves to the beginning of the cell.
func (e *Editor) SetCursor(at int) {
	e.begin(other)
	e.cursor, _ = e.body.around(at)
}

// Before returns the text before the cursor.
func (e *Editor) Before() string { return e.body.text[:e.cursor] }

// Insert inserts text that was typed. It drops control characters except newlines, and replaces tabs by blanks.
func (e *Editor) Insert(text string) {
	again := e.begin(typing)
	text = typed(text)
	if e.edit(e.cursor, e.cursor, fragment{text: text}) && again && !strings.HasPrefix(text, "\n") {
		e.undo.joinTyping()
	}
}

// Paste inserts text that was pasted. A long text is represented by a placeholder, in which tabs are kept.
func (e *Editor) Paste(text string) {
	e.begin(other)
	text = clean(text)
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if lines <= maxPasteLines && len(text) <= maxPasteBytes {
		e.edit(e.cursor, e.cursor, fragment{text: typed(text)})
		return
	}
	e.pastes++
	label := fmt.Sprintf("[Pasted text #%d, %d lines]", e.pastes, lines)
	if lines == 1 {
		label = fmt.Sprintf("[Pasted text #%d, 1 line]", e.pastes)
	}
	e.edit(e.cursor, e.cursor, fragment{text: label, pastes: []paste{{end: len(label), text: text}}})
}

// Expand replaces the placeholder that ends at the cursor, or else the one that begins there, by what was pasted. It reports
// whether there was one.
func (e *Editor) Expand() bool {
	e.begin(other)
	next := e.body.pasteFrom(e.cursor)
	for _, i := range []int{next - 1, next} {
		if i < 0 || i == len(e.body.pastes) {
			continue
		}
		if p := e.body.pastes[i]; p.end == e.cursor || p.at == e.cursor {
			e.edit(p.at, p.end, fragment{text: typed(p.text)})
			return true
		}
	}
	return false
}

// Set replaces the whole text and moves the cursor to its end. It can be undone.
func (e *Editor) Set(text string) {
	e.begin(other)
	e.edit(0, len(e.body.text), fragment{text: typed(text)})
}

// Replace replaces the text between a place and the cursor, as a completion does. If the place is within a cell, the whole cell is
// replaced.
func (e *Editor) Replace(from int, text string) {
	e.begin(other)
	from, _ = e.body.around(min(from, e.cursor))
	e.edit(from, e.cursor, fragment{text: typed(text)})
}

// Backspace removes the cell before the cursor.
func (e *Editor) Backspace() { e.erase(e.body.left(e.cursor), e.cursor) }

// Delete removes the cell after the cursor.
func (e *Editor) Delete() { e.erase(e.cursor, e.body.right(e.cursor)) }

func (e *Editor) erase(from, to int) {
	again := e.begin(erasing)
	if e.edit(from, to, fragment{}) && again {
		e.undo.joinErasing()
	}
}

// Transpose exchanges the cells around the cursor and moves the cursor after both. At the end of a line it exchanges the two
// cells before the cursor.
func (e *Editor) Transpose() {
	e.begin(other)
	from, to := e.body.bounds(e.cursor)
	middle := e.cursor
	if middle == to && middle > from {
		middle = e.body.left(middle)
	}
	if middle == from || middle == to {
		return
	}
	left, right := e.body.left(middle), e.body.right(middle)
	e.edit(left, right, e.body.slice(middle, right).add(e.body.slice(left, middle)))
}

// edit replaces a part of the text, records the change for Undo, and moves the cursor after the replacement. It reports whether
// anything changed.
func (e *Editor) edit(from, to int, with fragment) bool {
	old := e.body.slice(from, to)
	if old.equal(with) {
		e.cursor = to
		return false
	}
	e.undo.record(change{at: from, old: old, fresh: with, cursor: e.cursor})
	e.splice(from, to, with, from+len(with.text))
	return true
}

// splice replaces a part of the text. What was inserted may form one cell with what follows; the cursor moves after that cell.
func (e *Editor) splice(from, to int, with fragment, cursor int) {
	e.body = e.body.replace(from, to, with)
	_, e.cursor = e.body.around(cursor)
	e.layout.stale = true
}

// clean returns pasted text with lines that end in a newline, and without other control characters except tabs. Terminals send a
// carriage return for each newline of a paste.
func clean(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// typed is like clean, with blanks for tabs. It returns a copy, so that undo does not keep a larger text of the caller in memory.
func typed(text string) string {
	return strings.ReplaceAll(strings.Clone(clean(text)), "\t", tab)
}
