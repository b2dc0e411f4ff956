package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/idelchi/aura/internal/frontend"
	"github.com/idelchi/aura/internal/plaintext"
	"github.com/idelchi/aura/internal/setup"
)

// attended is a front end with a user at the terminal.
type attended struct {
	renderer
	lines *bufio.Reader
	err   io.Writer
}

// attend lets the user at the terminal answer. Without a terminal there is nobody to ask.
func attend(s streams, r renderer) frontend.FrontEnd {
	in, ok := s.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return r
	}
	return attended{renderer: r, lines: bufio.NewReader(in), err: s.err}
}

// ShowThinking passes it on to what shows events.
func (a attended) ShowThinking(on bool) {
	if viewer, ok := a.renderer.(frontend.ThinkingViewer); ok {
		viewer.ShowThinking(on)
	}
}

// Ask asks the user about a tool call.
func (a attended) Ask(ctx context.Context, q setup.Question) (bool, error) {
	args, err := json.Marshal(q.Args)
	if err != nil {
		return false, fmt.Errorf("showing the arguments: %w", err)
	}
	fmt.Fprintf(a.err, "? %s %s\n  rule %q requires confirmation; run it? [y/N] ", plaintext.Line(q.Tool), plaintext.Line(string(args)), q.Rule)
	answer := make(chan typed, 1)
	// A read from a terminal cannot be given up: if the run ends before the answer, the process does too.
	go func() {
		text, err := a.lines.ReadString('\n')
		answer <- typed{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.err)
		return false, context.Cause(ctx)
	case said := <-answer:
		return isYes(said.text), said.err
	}
}

// typed is a line that the user typed.
type typed struct {
	text string
	err  error
}

func isYes(answer string) bool {
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	default:
		return false
	}
}
