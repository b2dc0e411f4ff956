package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// dialog is what has the user's attention before the input: a question in the live area, or a view that covers the screen.
type dialog struct {
	keys  keymap.Map
	frame *frame
	// after runs a function in the goroutine of the program after a while. say prints a line of aura's own.
	after func(d time.Duration, f func())
	say   func(style terminal.Style, text string)

	// question is the open question, and overlay the covering view; nil if there is none.
	question *question
	overlay  overlay
}

// ask shows the choices of a question.
func (d *dialog) ask(q *question) {
	d.question = q
	q.again(d)
}

// withdraw removes a question that nobody has answered.
func (d *dialog) withdraw(q *question) {
	if d.question == q {
		d.question = nil
	}
}

// asking reports whether a question is open.
func (d *dialog) asking() bool { return d.question != nil }

// confirmed handles the answer of the terminal to a probe, and reports whether the choices changed.
func (d *dialog) confirmed() bool { return d.question.confirmed(d) }

// press handles a key. It returns false if the key belongs to the input.
func (d *dialog) press(key tea.KeyPressMsg) bool {
	if d.overlay == nil {
		return d.question.press(d, key)
	}
	if d.overlay.press(key, d.frame.height()) {
		d.close()
	}
	return true
}

// paste handles a paste. It returns false if the paste belongs to the input.
func (d *dialog) paste(text string) bool {
	return d.overlay != nil || d.question.paste(d, text)
}

// rows returns the choices of the question.
func (d *dialog) rows() []terminal.Styled { return d.question.rows(d) }

// typed returns the text that an answer needs, if one is being typed.
func (d *dialog) typed(width int) (view lineedit.View, ok bool) {
	if d.question == nil || d.question.field == nil {
		return lineedit.View{}, false
	}
	return d.question.editor.View(width), true
}

// open covers the screen with a view.
func (d *dialog) open(o overlay) {
	d.frame.cover()
	d.overlay = o
}

// close closes the view that covers the screen. A question that it hid waits again until it was seen.
func (d *dialog) close() {
	if d.overlay == nil {
		return
	}
	d.overlay = nil
	d.frame.uncover()
	if d.question != nil {
		d.question.again(d)
	}
}

// covers reports whether a view covers the screen.
func (d *dialog) covers() bool { return d.overlay != nil }

// cover returns the picture of the view that covers the screen, if there is one.
func (d *dialog) cover() (p picture, ok bool) {
	if d.overlay == nil {
		return picture{}, false
	}
	return d.overlay.picture(canvas{look: d.frame.colours(), columns: d.frame.width(), rows: d.frame.height(), asking: d.asking()}), true
}
