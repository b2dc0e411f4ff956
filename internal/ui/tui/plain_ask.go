package tui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// plainQuestion is a question with numbered choices.
type plainQuestion struct {
	choices []choice
	done    chan reply
	// ready is set when an answer counts. chosen is the choice whose text is asked for.
	ready  bool
	chosen *choice
}

// silenceParts is how many parts the silence before an answer has. aura may have been stopped for longer than the whole silence, with
// keys waiting to be read. Then only the first part is over, and the keys are read during the others.
const silenceParts = 4

// ask shows the choices of a question and waits for silence.
func (l *plainLoop) ask(q *plainQuestion) {
	l.question = q
	for i, c := range q.choices {
		text := c.text
		if c.initial != "" {
			text += ": " + plaintext.Reveal(c.initial)
		}
		l.p.label(strconv.Itoa(i+1), text)
	}
	l.quiet()
}

// quiet begins the silence after which an answer counts. Until then each key counts as one, even without Enter.
func (l *plainLoop) quiet() {
	if err := terminal.ReadKeys(l.p.o.In, true); err != nil {
		l.p.label("Warning", err.Error())
	}
	l.silent, l.calm = time.After(silence/silenceParts), 0
}

// listen lets the next line answer the question, if the silence is over.
func (l *plainLoop) listen() {
	l.silent = nil
	q := l.question
	if q == nil {
		return
	}
	if l.calm++; l.calm < silenceParts {
		l.silent = time.After(silence / silenceParts)
		return
	}
	if err := terminal.ReadKeys(l.p.o.In, false); err != nil {
		l.p.label("Warning", err.Error())
	}
	if l.rest != "" { // it was typed before the question could be answered
		l.queue, l.rest = append(l.queue, l.rest), ""
	}
	q.ready = true
	l.p.write(fmt.Sprintf("Answer 1-%d: ", len(q.choices)))
}

// reply handles a line that answers the question.
func (l *plainLoop) reply(line string) {
	q := l.question
	if q.chosen == nil {
		n, err := strconv.Atoi(line)
		if err != nil || n < 1 || n > len(q.choices) {
			l.p.write(fmt.Sprintf("Answer 1-%d: ", len(q.choices)))
			return
		}
		c := q.choices[n-1]
		if c.field == "" {
			l.answer(reply{key: c.key})
			return
		}
		q.chosen = &c
		if c.initial != "" {
			l.p.write(fmt.Sprintf("%s (empty: %s): ", c.field, plaintext.Reveal(c.initial)))
		} else {
			l.p.write(c.field + ": ")
		}
		return
	}
	if line == "" {
		line = q.chosen.initial
	}
	if q.chosen.check != nil {
		if err := q.chosen.check(line); err != nil {
			l.p.write(plaintext.Line(err.Error()) + "\n" + q.chosen.field + ": ")
			return
		}
	}
	l.answer(reply{key: q.chosen.key, text: line})
}

func (l *plainLoop) answer(r reply) {
	q := l.question
	if q == nil {
		return
	}
	if err := terminal.ReadKeys(l.p.o.In, false); err != nil {
		l.p.label("Warning", err.Error())
	}
	l.question, l.silent = nil, nil
	q.done <- r
}

// withdraw removes a question that is no longer asked, with what was typed for its answer.
func (l *plainLoop) withdraw(q *plainQuestion) {
	if l.question != q {
		return
	}
	if err := terminal.DiscardTyped(l.p.o.In); err != nil {
		l.p.label("Warning", err.Error())
	}
	if q.ready {
		l.rest = ""
	}
	l.answer(reply{})
}

// Ask implements frontend.Asker.
func (p *Plain) Ask(ctx context.Context, q policy.Question) (policy.Answer, error) {
	about, by, choices, err := approval(q)
	if err != nil {
		return policy.Answer{}, err
	}
	p.label("Question", about+"\n"+by)
	if q.Changes != "" {
		p.label("Changes", plaintext.Reveal(q.Changes))
	}
	r, err := p.ask(ctx, choices)
	if err != nil {
		return policy.Answer{}, err
	}
	return answerOf(q, r), nil
}

// ask shows the choices and waits for the answer.
func (p *Plain) ask(ctx context.Context, choices []choice) (reply, error) {
	asked := &plainQuestion{choices: choices, done: make(chan reply, 1)}
	select {
	case p.worker.asked <- asked:
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	}
	select {
	case r := <-asked.done:
		return r, nil
	case <-ctx.Done():
		select {
		case p.worker.withdrawn <- asked:
			<-asked.done
			if _, ok := errors.AsType[*frontend.AnsweredError](context.Cause(ctx)); ok && asked.ready {
				p.write("\n") // an interrupt has ended the line of the question itself
			}
		case <-asked.done: // its turn has ended
		case <-p.worker.stop:
		}
		return reply{}, context.Cause(ctx)
	}
}

// Choose asks the user to choose, and returns the key of the answer. It is empty if nobody answered.
func (p *Plain) Choose(ctx context.Context, about string, list []Choice) (key string, err error) {
	p.label("Question", about)
	r, err := p.ask(ctx, choicesOf(list))
	return r.key, err
}

// Tell prints a notice.
func (p *Plain) Tell(text string) { p.label("Note", text) }
