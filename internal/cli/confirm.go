package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/idelchi/aura/internal/frontend"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/terminal"
)

// attended is a front end with a user at the terminal.
type attended struct {
	renderer
	keyboard keyboard
	err      io.Writer
	// screen shows the question.
	screen *terminal.Screen
}

// attend lets the user at the terminal answer questions. If input or standard error is not a terminal, there is no user to ask,
// and attend returns r.
func attend(s streams, r renderer) frontend.FrontEnd {
	k, ok := keyboardOf(s)
	if !ok {
		return r
	}
	return attended{renderer: r, keyboard: k, err: s.err, screen: s.screen}
}

// ShowThinking forwards the call to the renderer.
func (a attended) ShowThinking(on bool) {
	if viewer, ok := a.renderer.(frontend.ThinkingViewer); ok {
		viewer.ShowThinking(on)
	}
}

// Ask asks the user about a tool call.
func (a attended) Ask(ctx context.Context, q setup.Question) (setup.Answer, error) {
	call, err := terminal.Call(q.Tool, q.Args)
	if err != nil {
		return setup.Answer{}, fmt.Errorf("showing the arguments: %w", err)
	}
	look := a.screen.ErrLook()
	why := fmt.Sprintf("rule %q requires confirmation", q.Rule)
	if q.Rule == "" {
		why = q.Tool + " requires approval"
	}
	question := look.Paint(terminal.Strong, "? "+indent(call)) + look.Paint(terminal.Plain,
		fmt.Sprintf("\n  %s; always means %s, until the session ends\n  run it? [y]es, [N]o, [a]lways: ", why, q.Covers))
	answer, err := a.keyboard.ask(ctx, func() error { return terminal.Print(a.err, question) })
	if err != nil {
		fmt.Fprintln(a.err)
		return setup.Answer{}, err
	}
	a.screen.Answered()
	return setup.Answer{Decision: answered(answer), Pattern: q.Pattern}, nil
}

// answered converts the user's answer. Anything other than yes or always means no.
func answered(text string) setup.Decision {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return setup.Once
	case "a", "always":
		return setup.Session
	default:
		return setup.Reject
	}
}

func isYes(answer string) bool { return answered(answer) == setup.Once }
