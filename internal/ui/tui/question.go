package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// silence is how long no key may be pressed after a question has appeared before a key can answer it.
	silence = 400 * time.Millisecond
	// deaf is how long the screen waits for the answer of a terminal that does not answer.
	deaf = time.Second
)

// question is a question that the user must answer. It is printed into the scrollback; the live area shows the choices. Keys go to
// the input until the question is armed: it was drawn, then no key was pressed for a moment, and the terminal has confirmed that no
// key is under way.
type question struct {
	// title precedes the choices.
	title   string
	choices []choice
	done    chan reply
	// shown is set after the terminal has confirmed the frame with the choices. armed is set when keys answer.
	shown, armed bool
	// pressed counts the keys that did not answer; asking holds the count when the terminal was asked whether keys are under way,
	// or -1 if it was not asked.
	pressed, asking int
	// field is the choice whose text is being typed.
	field  *choice
	editor lineedit.Editor
	fault  string
}

func newQuestion(title string, choices []choice) *question {
	return &question{title: title, choices: choices, done: make(chan reply, 1), asking: -1}
}

// confirmed handles the answer of the terminal to a probe: what was drawn before is visible, and the keys pressed before have
// arrived. It reports whether the screen changed.
func (q *question) confirmed(d *dialog) bool {
	switch {
	case q == nil || q.armed:
		return false
	case !q.shown:
		if !d.frame.visible() {
			return false
		}
		q.drawnAt(d)
		return false
	case q.asking >= 0 && d.frame.silent(): // an answer to an earlier probe says nothing about later keys
		q.armed = q.asking == q.pressed
		q.asking = -1
		return true
	}
	return false
}

// drawnAt begins the wait for silence after the question was drawn.
func (q *question) drawnAt(d *dialog) {
	if q.shown || d.question != q {
		return
	}
	q.shown = true
	q.listen(d)
}

// again waits for the question to be drawn, at the beginning and after another view has hidden it.
func (q *question) again(d *dialog) {
	q.shown, q.armed, q.asking = false, false, -1
	q.pressed++
	pressed := q.pressed
	d.after(deaf, func() {
		if q.pressed == pressed && d.overlay == nil {
			q.drawnAt(d)
		}
	})
}

// listen waits for a moment without keys, and then asks the terminal whether keys are under way.
func (q *question) listen(d *dialog) {
	pressed := q.pressed
	d.after(silence, func() {
		if d.question != q || q.armed || q.pressed != pressed {
			return
		}
		q.asking = pressed
		d.frame.probe()
		d.after(deaf, func() {
			if q.asking == pressed && q.pressed == pressed {
				q.armed, q.asking = true, -1
			}
		})
	})
}

// postpone begins the wait for silence again, because a key was pressed that does not answer.
func (q *question) postpone(d *dialog) {
	q.pressed++
	q.asking = -1
	if q.shown {
		q.listen(d)
	}
}

// press handles a key. It returns false if the key belongs to the input.
func (q *question) press(d *dialog, key tea.KeyPressMsg) bool {
	switch {
	case q == nil:
		return false
	case q.field != nil:
		q.typing(d, key)
		return true
	case !q.armed:
		q.postpone(d)
		return false
	}
	action := d.keys[key.String()]
	if action == keymap.Cancel {
		return false
	}
	if action == keymap.Interrupt {
		q.answer(d, reply{key: "n"})
		return true
	}
	for i, c := range q.choices {
		if c.key != key.Text {
			continue
		}
		if c.field == "" {
			q.answer(d, reply{key: c.key})
			return true
		}
		q.field, q.fault = &q.choices[i], ""
		q.editor.Set(c.initial)
		return true
	}
	return true
}

// paste handles a paste. It returns false if the paste belongs to the input.
func (q *question) paste(d *dialog, text string) bool {
	if q == nil {
		return false
	}
	if q.field != nil {
		q.editor.Insert(strings.ReplaceAll(text, "\n", " "))
		return true
	}
	if !q.armed {
		q.postpone(d)
	}
	return false
}

// typing handles a key while a text is typed.
func (q *question) typing(d *dialog, key tea.KeyPressMsg) {
	action := d.keys[key.String()]
	switch action {
	case keymap.Interrupt, keymap.Cancel:
		q.field = nil
	case keymap.Send:
		text := strings.TrimSpace(q.editor.Text())
		if q.field.check != nil {
			if err := q.field.check(text); err != nil {
				q.fault = plaintext.Line(err.Error())
				return
			}
		}
		q.answer(d, reply{key: q.field.key, text: text})
	case "":
		if key.Text != "" {
			q.editor.Insert(key.Text)
		}
	default:
		if edit := edits[action]; edit != nil && action != keymap.Newline {
			edit(&q.editor)
		}
	}
}

func (q *question) answer(d *dialog, r reply) {
	for _, c := range q.choices {
		if c.key == r.key {
			d.say(terminal.Quiet, "  → "+strings.TrimSpace(c.text+" "+plaintext.Line(r.text)))
		}
	}
	d.question = nil
	q.done <- r
}

// rows returns the choices.
func (q *question) rows(d *dialog) []terminal.Styled {
	if q == nil {
		return nil
	}
	if q.field != nil {
		text := q.field.field + " (Enter accepts, Esc goes back)"
		if q.fault != "" {
			text += ": " + q.fault
		}
		return terminal.Rows(d.frame.colours().Paint(terminal.Warning, text), d.frame.width())
	}
	var parts []string
	for _, c := range q.choices {
		text := fmt.Sprintf("[%s] %s", c.key, c.text)
		if c.field != "" && c.initial != "" {
			text += " " + plaintext.Reveal(c.initial)
		}
		parts = append(parts, text)
	}
	style, note := terminal.Warning, q.title
	if !q.armed {
		style, note = terminal.Quiet, q.title+" (stop typing to answer)"
	}
	return terminal.Rows(d.frame.colours().Paint(style, breakBetween(append([]string{note}, parts...), d.frame.width())), d.frame.width())
}

// breakBetween joins parts, with line breaks only between them. A part that is wider than a row has rows of its own.
func breakBetween(parts []string, width int) string {
	var rows []string
	for _, part := range parts {
		if last := len(rows) - 1; last >= 0 && terminal.Width(rows[last])+2+terminal.Width(part) <= width {
			rows[last] += "  " + part
			continue
		}
		rows = append(rows, part)
	}
	return strings.Join(rows, "\n")
}
