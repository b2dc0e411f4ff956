package lineedit

// KillWordLeft removes the text from the beginning of the word at the left of the cursor to the cursor, for Yank.
func (e *Editor) KillWordLeft() { e.kill(e.wordLeft(), e.cursor) }

// KillWordRight removes the text from the cursor to the end of the word at its right, for Yank.
func (e *Editor) KillWordRight() { e.kill(e.cursor, e.wordRight()) }

// KillToLineStart removes the text from the beginning of the line to the cursor, for Yank. At the beginning of a line it removes
// the newline before it.
func (e *Editor) KillToLineStart() {
	from, _ := e.body.bounds(e.cursor)
	if from == e.cursor {
		from = max(0, from-1)
	}
	e.kill(from, e.cursor)
}

// KillToLineEnd removes the text from the cursor to the end of the line, for Yank. At the end of a line it removes the newline
// after it.
func (e *Editor) KillToLineEnd() {
	_, to := e.body.bounds(e.cursor)
	if to == e.cursor {
		to = min(len(e.body.text), to+1)
	}
	e.kill(e.cursor, to)
}

// kill removes a part that begins or ends at the cursor. Parts that are removed one after the other are yanked together.
func (e *Editor) kill(from, to int) {
	again := e.begin(killing)
	if from == to {
		return
	}
	part := e.body.slice(from, to)
	switch {
	case !again:
		e.killed = part
	case to == e.cursor:
		e.killed = part.add(e.killed)
	default:
		e.killed = e.killed.add(part)
	}
	e.edit(from, to, fragment{})
}

// Yank inserts what was removed by the latest calls of a method whose name begins with Kill.
func (e *Editor) Yank() {
	e.begin(other)
	e.edit(e.cursor, e.cursor, e.killed)
}
