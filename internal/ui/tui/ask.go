package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// silence is how long no key may be pressed after a question has appeared before a key can answer it.
	silence = 400 * time.Millisecond
	// deaf is how long the screen waits for the answer of a terminal that does not answer.
	deaf = time.Second
)

// choice is a possible answer to a question.
type choice struct {
	key, text string
	// field is set if the choice needs a text: the label of the text.
	field string
	// initial is what the text begins with. check returns why a text is not acceptable; nil accepts every text.
	initial string
	check   func(text string) error
}

// reply is the answer to a question.
type reply struct {
	// key is the key of the chosen answer; empty if nobody answered.
	key, text string
}

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

// Ask implements frontend.Asker.
func (u *UI) Ask(ctx context.Context, q setup.Question) (setup.Answer, error) {
	about, by, choices, err := approval(q)
	if err != nil {
		return setup.Answer{}, err
	}
	r, err := u.ask(ctx, func() terminal.Styled { return u.asked(about, by, q.Changes) }, "Run it?", choices)
	if err != nil {
		return setup.Answer{}, err
	}
	return answerOf(r), nil
}

// asked returns the text of a question: what it is about, who asks, and the changes to files.
func (u *UI) asked(about, by, changes string) terminal.Styled {
	text := "\n" + u.look.Paint(terminal.Strong, "? "+strings.ReplaceAll(about, "\n", "\n  ")) + "\n" + u.look.Paint(terminal.Quiet, "  "+by) + "\n"
	if changes != "" {
		text += u.look.Change(changes)
	}
	return text
}

// Choice is a possible answer to a question.
type Choice struct{ Key, Text string }

// Choose asks the user to choose, and returns the key of the answer. It is empty if nobody answered.
func (u *UI) Choose(ctx context.Context, about string, list []Choice) (key string, err error) {
	r, err := u.ask(ctx, func() terminal.Styled {
		return "\n" + u.look.Paint(terminal.Strong, "? "+terminal.Hanging(about)) + "\n"
	}, "Choose:", choicesOf(list))
	return r.key, err
}

func choicesOf(list []Choice) []choice {
	var out []choice
	for _, c := range list {
		out = append(out, choice{key: c.Key, text: c.Text})
	}
	return out
}

// Tell prints a notice.
func (u *UI) Tell(text string) { u.Event(event.Notice{Text: text}) }

// approval returns what a question is about, who asks, and the possible answers.
func approval(q setup.Question) (about, by string, choices []choice, err error) {
	about, err = terminal.Call(q.Tool, q.Args)
	if err != nil {
		return "", "", nil, fmt.Errorf("showing the arguments: %w", err)
	}
	by = "required by the tool itself: " + plaintext.Line(q.By)
	if q.Rule != "" {
		by = fmt.Sprintf("required by rule %q of %s", plaintext.Line(q.Rule), plaintext.Line(q.By))
	}
	choices = []choice{{key: "y", text: "once"}}
	if q.Pattern != "" {
		choices = append(choices,
			choice{key: "s", text: "this session", field: "Pattern for this session", initial: q.Pattern, check: q.Check},
			choice{key: "a", text: "always", field: "Pattern to approve always", initial: q.Pattern, check: q.Check})
	}
	return about, by, append(choices, choice{key: "n", text: "no"}, choice{key: "r", text: "no, with a reason", field: "Reason for the model"}), nil
}

// answerOf converts a reply. No reply means no.
func answerOf(r reply) setup.Answer {
	switch r.key {
	case "y":
		return setup.Answer{Decision: setup.Once}
	case "s":
		return setup.Answer{Decision: setup.Session, Pattern: r.text}
	case "a":
		return setup.Answer{Decision: setup.Always, Pattern: r.text}
	default:
		return setup.Answer{Reason: r.text}
	}
}

// ask asks the user and waits for the answer. about returns the text of the question.
func (u *UI) ask(ctx context.Context, about func() terminal.Styled, title string, choices []choice) (reply, error) {
	q := &question{title: title, choices: choices, done: make(chan reply, 1), asking: -1}
	u.do(func() {
		u.takeEvents()
		u.print(about())
		u.question = q
		q.again(u)
	})
	defer u.do(func() {
		if u.question == q {
			u.question = nil
		}
	})
	select {
	case r := <-q.done:
		return r, nil
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	case <-u.inbox.ended:
		return reply{}, errInterrupted
	}
}

// active reports whether the question has the cursor.
func (q *question) active() bool { return q != nil && q.field != nil }

// confirmed handles the answer of the terminal to a probe: what was drawn before is visible, and the keys pressed before have
// arrived. It reports whether the screen changed.
func (q *question) confirmed(u *UI) bool {
	switch {
	case q == nil || q.armed:
		return false
	case !q.shown:
		if !u.screen.Confirmed() {
			return false
		}
		q.drawnAt(u)
		return false
	case q.asking >= 0 && u.screen.Answered(): // an answer to an earlier probe says nothing about later keys
		q.armed = q.asking == q.pressed
		q.asking = -1
		return true
	}
	return false
}

// drawnAt begins the wait for silence after the question was drawn.
func (q *question) drawnAt(u *UI) {
	if q.shown || u.question != q {
		return
	}
	q.shown = true
	q.listen(u)
}

// again waits for the question to be drawn, at the beginning and after another view has hidden it.
func (q *question) again(u *UI) {
	q.shown, q.armed, q.asking = false, false, -1
	q.pressed++
	pressed := q.pressed
	time.AfterFunc(deaf, func() {
		u.do(func() {
			if q.pressed == pressed && u.overlay == nil {
				q.drawnAt(u)
			}
		})
	})
}

// listen waits for a moment without keys, and then asks the terminal whether keys are under way.
func (q *question) listen(u *UI) {
	pressed := q.pressed
	time.AfterFunc(silence, func() {
		u.do(func() {
			if u.question != q || q.armed || q.pressed != pressed {
				return
			}
			q.asking = pressed
			if err := u.screen.Probe(); err != nil {
				u.failed = err
			}
			time.AfterFunc(deaf, func() {
				u.do(func() {
					if q.asking == pressed && q.pressed == pressed {
						q.armed, q.asking = true, -1
					}
				})
			})
		})
	})
}

// takes handles a key. It returns false if the key belongs to the input.
func (q *question) takes(u *UI, key tea.KeyPressMsg) bool {
	switch {
	case q == nil:
		return false
	case q.field != nil:
		q.typing(u, key)
		return true
	case !q.armed:
		q.pressed++
		q.asking = -1
		if q.shown {
			q.listen(u)
		}
		return false
	}
	action := u.keys[key.String()]
	if action == keymap.Cancel {
		return false
	}
	if action == keymap.Interrupt {
		q.answer(u, reply{key: "n"})
		return true
	}
	for i, c := range q.choices {
		if c.key != key.Text {
			continue
		}
		if c.field == "" {
			q.answer(u, reply{key: c.key})
			return true
		}
		q.field, q.fault = &q.choices[i], ""
		q.editor.Set(c.initial)
		return true
	}
	return true
}

// pastes handles a paste. It returns false if the paste belongs to the input.
func (q *question) pastes(u *UI, text string) bool {
	if q == nil {
		return false
	}
	if q.field != nil {
		q.editor.Insert(strings.ReplaceAll(text, "\n", " "))
		return true
	}
	if !q.armed {
		q.pressed++
		q.asking = -1
		if q.shown {
			q.listen(u)
		}
	}
	return false
}

// typing handles a key while a text is typed.
func (q *question) typing(u *UI, key tea.KeyPressMsg) {
	action := u.keys[key.String()]
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
		q.answer(u, reply{key: q.field.key, text: text})
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

func (q *question) answer(u *UI, r reply) {
	for _, c := range q.choices {
		if c.key == r.key {
			u.say(terminal.Quiet, "  → "+strings.TrimSpace(c.text+" "+plaintext.Line(r.text)))
		}
	}
	u.question = nil
	q.done <- r
}

// rows returns the choices.
func (q *question) rows(u *UI) []terminal.Styled {
	if q == nil {
		return nil
	}
	if q.field != nil {
		text := q.field.field + " (Enter accepts, Esc goes back)"
		if q.fault != "" {
			text += ": " + q.fault
		}
		return terminal.Rows(u.look.Paint(terminal.Warning, text), u.columns)
	}
	var parts []string
	for _, c := range q.choices {
		text := fmt.Sprintf("[%s] %s", c.key, c.text)
		if c.field != "" && c.initial != "" {
			text += " " + plaintext.Reveal(c.initial)
		}
		parts = append(parts, text)
	}
	style, note := terminal.Warning, q.title+"  "
	if !q.armed {
		style, note = terminal.Quiet, q.title+" (stop typing to answer)  "
	}
	return terminal.Rows(u.look.Paint(style, note+strings.Join(parts, "  ")), u.columns)
}

// view returns the text that is being typed.
func (q *question) view(width int) lineedit.View { return q.editor.View(width) }

// mark is what precedes the text that is being typed.
func (q *question) mark() string { return "? " }
