package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
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

// Ask implements frontend.Asker.
func (u *UI) Ask(ctx context.Context, q policy.Question) (policy.Answer, error) {
	about, by, choices, err := approval(q)
	if err != nil {
		return policy.Answer{}, err
	}
	text := asked(u.frame.colours(), about, by, q.Changes)
	if len(q.Options) > 0 {
		text = proposed(u.frame.colours(), q)
	}
	r, err := u.ask(ctx, func() terminal.Styled {
		u.show.shownChanges = q.Changes
		return text()
	}, titleOf(q), choices)
	if err != nil {
		return policy.Answer{}, err
	}
	return answerOf(q, r), nil
}

// titleOf asks what the choices answer.
func titleOf(q policy.Question) string {
	if q.Access != nil {
		return "Allow it?"
	}
	if len(q.Options) > 0 {
		return "Accept it?"
	}
	return "Run it?"
}

// asked returns the text of a question, painted when it is printed: what it is about, who asks, and the changes to files.
func asked(look *terminal.Look, about, by, changes string) func() terminal.Styled {
	return func() terminal.Styled {
		text := "\n" + look.Paint(terminal.Strong, "? "+strings.ReplaceAll(about, "\n", "\n  ")) + "\n" + look.Paint(terminal.Quiet, "  "+strings.ReplaceAll(by, "\n", "\n  ")) + "\n"
		if changes != "" {
			text += look.Change(changes)
		}
		return text
	}
}

// Choice is a possible answer to a question.
type Choice struct{ Key, Text string }

// Choose asks the user to choose, and returns the key of the answer. It is empty if nobody answered.
func (u *UI) Choose(ctx context.Context, about string, list []Choice) (key string, err error) {
	r, err := u.ask(ctx, func() terminal.Styled {
		return "\n" + u.frame.colours().Paint(terminal.Strong, "? "+terminal.Hanging(about)) + "\n"
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
func approval(q policy.Question) (about, by string, choices []choice, err error) {
	if len(q.Options) > 0 {
		return plaintext.Line(q.Tool), plaintext.Reveal(q.Text), accepting(q), nil
	}
	about, err = terminal.Call(q.Tool, q.Args)
	if err != nil {
		return "", "", nil, fmt.Errorf("showing the arguments: %w", err)
	}
	by = "required by the tool itself: " + plaintext.Line(q.By)
	if q.Rule != "" {
		by = fmt.Sprintf("required by rule %q of %s", plaintext.Line(q.Rule), plaintext.Line(q.By))
	}
	if q.Access != nil {
		lines := make([]string, 0, len(q.Access.Why))
		for _, line := range q.Access.Why {
			lines = append(lines, plaintext.Reveal(strings.ReplaceAll(line, "\n", " ")))
		}
		about, by = plaintext.Reveal(strings.ReplaceAll(q.Access.What, "\n", " ")), strings.Join(lines, "\n")
	}
	return about, by, append(yeses(q), refusing()...), nil
}

// yeses returns the choices that let a call run, or allow an access.
func yeses(q policy.Question) []choice {
	var out []choice
	if q.Offers(policy.Once) {
		out = append(out, choice{key: "y", text: "once"})
	}
	session, always := choice{key: "s", text: "this session"}, choice{key: "a", text: "always"}
	if q.Editable() {
		session.field, session.initial, session.check = "Pattern for this session", q.Pattern, q.Check
		always.field, always.initial, always.check = "Pattern to approve always", q.Pattern, q.Check
	}
	if q.Offers(policy.Session) {
		out = append(out, session, always)
	}
	if q.Offers(policy.Outside) {
		out = append(out, choice{key: "o", text: policy.OutsideText})
	}
	return out
}

// answerOf converts a reply. No reply means no.
func answerOf(q policy.Question, r reply) policy.Answer {
	if answer, ok := optionOf(q, r); ok {
		return answer
	}
	switch r.key {
	case "y":
		return policy.Answer{Decision: policy.Once}
	case "s":
		return policy.Answer{Decision: policy.Session, Pattern: cmp.Or(r.text, q.Pattern)}
	case "a":
		return policy.Answer{Decision: policy.Always, Pattern: cmp.Or(r.text, q.Pattern)}
	case "o":
		return policy.Answer{Decision: policy.Outside}
	default:
		return policy.Answer{Reason: r.text}
	}
}

// ask asks the user and waits for the answer. about returns the text of the question.
func (u *UI) ask(ctx context.Context, about func() terminal.Styled, title string, choices []choice) (reply, error) {
	q := newQuestion(title, choices)
	u.do(func() {
		u.showEvents()
		u.frame.print(about())
		u.dialog.ask(q)
		u.frame.fail(u.notify.send("a question waits"))
	})
	defer u.do(func() { u.dialog.withdraw(q) })
	select {
	case r := <-q.done:
		return r, nil
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	case <-u.inbox.ended:
		return reply{}, errInterrupted
	}
}
