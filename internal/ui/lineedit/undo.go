package lineedit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxChanges and maxChangeBytes bound what Undo remembers. The latest change is always remembered.
	maxChanges     = 200
	maxChangeBytes = 8 << 20
)

// change is a replacement of a part of the text.
type change struct {
	// at is where the part begins, in bytes.
	at         int
	old, fresh fragment
	// cursor is the place of the cursor before the change.
	cursor int
}

func (c change) size() int { return c.old.size() + c.fresh.size() }

// undo holds the changes that can be undone, the latest last.
type undo struct {
	done []change
}

func (u *undo) record(c change) {
	u.done = append(u.done, c)
	size := 0
	for i, c := range slices.Backward(u.done) {
		size += c.size()
		if i < len(u.done)-1 && (size > maxChangeBytes || len(u.done)-i > maxChanges) {
			u.done = slices.Clone(u.done[i+1:])
			return
		}
	}
}

// latest returns the latest two changes.
func (u *undo) latest() (before, after *change) {
	if len(u.done) < 2 {
		return nil, nil
	}
	return &u.done[len(u.done)-2], &u.done[len(u.done)-1]
}

// joinTyping makes the latest two changes one if both typed a part of one word and of the blanks after it.
func (u *undo) joinTyping() {
	before, after := u.latest()
	if before == nil || before.old.text != "" || after.old.text != "" || before.at+len(before.fresh.text) != after.at {
		return
	}
	end, _ := utf8.DecodeLastRuneInString(before.fresh.text)
	next, _ := utf8.DecodeRuneInString(after.fresh.text)
	if unicode.IsSpace(end) && !unicode.IsSpace(next) || strings.HasSuffix(before.fresh.text, "\n") {
		return
	}
	before.fresh = before.fresh.add(after.fresh)
	u.done = u.done[:len(u.done)-1]
}

// joinErasing makes the latest two changes one if both removed neighbouring text.
func (u *undo) joinErasing() {
	before, after := u.latest()
	switch {
	case before == nil || before.fresh.text != "" || after.fresh.text != "":
		return
	case after.at+len(after.old.text) == before.at:
		before.at, before.old = after.at, after.old.add(before.old)
	case after.at == before.at:
		before.old = before.old.add(after.old)
	default:
		return
	}
	u.done = u.done[:len(u.done)-1]
}

// Undo undoes the latest change. It reports whether there was one.
func (e *Editor) Undo() bool {
	e.begin(other)
	last := len(e.undo.done) - 1
	if last < 0 {
		return false
	}
	c := e.undo.done[last]
	e.undo.done = e.undo.done[:last]
	e.splice(c.at, c.at+len(c.fresh.text), c.old, c.cursor)
	return true
}
