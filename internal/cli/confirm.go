package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// attended is a front end with a user at the terminal.
type attended struct {
	renderer
	keyboard keyboard
	err      io.Writer
	// screen shows the question.
	screen *terminal.Screen
	held   *held
}

// held keeps events while a question is open, because a tool that runs meanwhile would write into it.
type held struct {
	mu     sync.Mutex
	asking bool
	events []event.Event
}

// maxHeld is how many events wait for an answer. Output of tools beyond that is not shown.
const maxHeld = 1000

// Event shows an event, after the answer if a question is open.
func (a attended) Event(e event.Event) {
	a.held.mu.Lock()
	defer a.held.mu.Unlock()
	if !a.held.asking {
		a.renderer.Event(e)
		return
	}
	if _, output := e.(event.Progress); !output || len(a.held.events) < maxHeld {
		a.held.events = append(a.held.events, e)
	}
}

// hold holds events until release is called.
func (a attended) hold() (release func()) {
	a.held.mu.Lock()
	a.held.asking = true
	a.held.mu.Unlock()
	return func() {
		a.held.mu.Lock()
		defer a.held.mu.Unlock()
		for _, e := range a.held.events {
			a.renderer.Event(e)
		}
		a.held.asking, a.held.events = false, nil
	}
}

// attend lets the user at the terminal answer questions. If input or standard error is not a terminal, there is no user to ask,
// and attend returns r.
func attend(s streams, r renderer) frontend.FrontEnd {
	k, ok := keyboardOf(s)
	if !ok {
		return r
	}
	return attended{renderer: r, keyboard: k, err: s.err, screen: s.screen, held: &held{}}
}

// ShowThinking forwards the call to the renderer.
func (a attended) ShowThinking(on bool) {
	if viewer, ok := a.renderer.(frontend.ThinkingViewer); ok {
		viewer.ShowThinking(on)
	}
}

// Ask asks the user about a tool call. The user may edit the pattern first: aura then shows the pattern and asks again.
func (a attended) Ask(ctx context.Context, q policy.Question) (policy.Answer, error) {
	if len(q.Options) > 0 {
		return a.accept(ctx, q)
	}
	if _, ok := a.renderer.(*jsonRenderer); ok && q.About.Path != "" {
		return policy.Answer{}, policy.ErrNotAsked // the output is for a program, which cannot know that calls run twice
	}
	question, err := a.question(q)
	if err != nil {
		return policy.Answer{}, err
	}
	defer a.hold()()
	pattern := q.Pattern
	for {
		line, err := a.reply(ctx, question+a.choices(q, pattern))
		if err != nil {
			return policy.Answer{}, err
		}
		r := answering(q, line)
		if r.edit {
			if r.rest == "" {
				if r.rest, err = a.reply(ctx, a.plain("  pattern: ")); err != nil {
					return policy.Answer{}, err
				}
			}
			edited := strings.TrimSpace(r.rest)
			question = ""
			if err := q.Check(edited); edited != "" && err != nil {
				question = a.plain(fmt.Sprintf("  ! %s: %v\n", plaintext.Reveal(edited), err))
			} else if edited != "" {
				pattern = edited
			}
			continue
		}
		if pattern == "" && (r.decision == policy.Session || r.decision == policy.Always) {
			question = a.plain("  ! no pattern describes this call: edit the pattern first\n")
			continue
		}
		return policy.Answer{Decision: r.decision, Pattern: pattern, Reason: r.rest}, nil
	}
}

// reply asks a question and returns the line that the user types.
func (a attended) reply(ctx context.Context, question terminal.Styled) (string, error) {
	line, err := a.keyboard.ask(ctx, func() error { return terminal.Print(a.err, question) })
	if err != nil {
		fmt.Fprintln(a.err)
		return "", err
	}
	a.screen.Answered()
	return line, nil
}

func (a attended) plain(text string) terminal.Styled {
	return a.screen.ErrLook().Paint(terminal.Plain, text)
}

// question shows a call and who asks about it. An edit is shown as a diff.
func (a attended) question(q policy.Question) (terminal.Styled, error) {
	look := a.screen.ErrLook()
	if a := q.Access; a != nil {
		out := look.Paint(terminal.Strong, "? "+plaintext.Reveal(a.What)+"\n")
		for _, line := range a.Why {
			out += look.Paint(terminal.Plain, "  "+indent(plaintext.Reveal(line))+"\n")
		}
		return out, nil
	}
	call, changes := plaintext.Reveal(q.Tool+" "+event.Subject(q.Args)), look.Change(q.Changes)
	if q.Changes == "" {
		var err error
		if call, err = terminal.Call(q.Tool, q.Args); err != nil {
			return "", fmt.Errorf("showing the arguments: %w", err)
		}
		changes = ""
	}
	why := fmt.Sprintf("  rule %q of %s requires confirmation\n", q.Rule, plaintext.Reveal(q.By))
	if q.Rule == "" {
		why = fmt.Sprintf("  %s of %s requires approval\n", q.Tool, plaintext.Reveal(q.By))
	}
	return look.Paint(terminal.Strong, "? "+indent(call)+"\n") + changes + look.Paint(terminal.Plain, why), nil
}

// choices shows the pattern that an approval would store, and the answers.
func (a attended) choices(q policy.Question, pattern string) terminal.Styled {
	if q.Access != nil {
		return a.accessChoices(q, pattern)
	}
	if pattern == "" {
		return a.plain("  run it? [y]es, [N]o, n REASON, [e]dit a pattern: ")
	}
	return a.plain(approves(q, pattern) + "  run it? [y]es, [N]o, n REASON, [s]ession, [a]lways, [e]dit the pattern: ")
}

// approves says what an approval would store.
func approves(q policy.Question, pattern string) string {
	shown := plaintext.Reveal(pattern)
	if pattern == q.Pattern {
		shown += " (" + q.Covers + ")"
	}
	return "  approve for the session or always: " + shown + "\n"
}

// accessChoices is choices for an access beyond the sandbox.
func (a attended) accessChoices(q policy.Question, pattern string) terminal.Styled {
	text, answers := "", []string{"[N]o", "n REASON"}
	if q.Offers(policy.Once) {
		answers = slices.Insert(answers, 0, "[y]es")
	}
	if q.Offers(policy.Session) {
		text, answers = approves(q, pattern), append(answers, "[s]ession", "[a]lways")
	}
	if q.Offers(policy.Session) && q.Editable() {
		answers = append(answers, "[e]dit the pattern")
	}
	if q.Offers(policy.Outside) {
		text, answers = text+"  outside: "+policy.OutsideText+"\n", append(answers, "[o]utside")
	}
	return a.plain(text + "  allow it? " + strings.Join(answers, ", ") + ": ")
}

// answering parses the user's answer to a question. An answer that the question does not offer means no.
func answering(q policy.Question, line string) reply {
	r := replied(line)
	if r.edit && !q.Editable() || !q.Offers(r.decision) && (q.Access != nil || r.decision == policy.Outside) {
		return reply{}
	}
	return r
}

// reply is what the user typed to a question: a decision with a reason, or that the pattern is to be edited.
type reply struct {
	decision policy.Decision
	edit     bool
	// rest is the text after the first word: the reason of a no, or a pattern.
	rest string
}

// replied parses the user's answer. Anything that is not understood means no.
func replied(line string) reply {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	word = strings.ToLower(strings.TrimSuffix(word, ":"))
	switch {
	case word == "n" || word == "no":
		return reply{rest: rest}
	case word == "e" || word == "edit":
		return reply{edit: true, rest: rest}
	case rest != "":
		return reply{}
	}
	return reply{decision: map[string]policy.Decision{
		"y": policy.Once, "yes": policy.Once, "s": policy.Session, "session": policy.Session, "a": policy.Always, "always": policy.Always,
		"o": policy.Outside, "outside": policy.Outside,
	}[word]}
}

func isYes(answer string) bool {
	return replied(answer).decision == policy.Once
}
