package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/plaintext"
)

// confirmer asks the user about tool calls, on the terminal. Without one there is nobody to ask.
func confirmer(s streams) func(context.Context, app.Question) (bool, error) {
	in, ok := s.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	lines := bufio.NewReader(in)
	return func(ctx context.Context, q app.Question) (bool, error) {
		args, err := json.Marshal(q.Args)
		if err != nil {
			return false, fmt.Errorf("showing the arguments: %w", err)
		}
		fmt.Fprintf(s.err, "? %s %s\n  rule %q wants a confirmation; run it? [y/N] ", plaintext.Line(q.Tool), plaintext.Line(string(args)), q.Rule)
		answer := make(chan typed, 1)
		// A read from a terminal cannot be given up: if the run ends before the answer, the process does too.
		go func() {
			text, err := lines.ReadString('\n')
			answer <- typed{text, err}
		}()
		select {
		case <-ctx.Done():
			fmt.Fprintln(s.err)
			return false, context.Cause(ctx)
		case a := <-answer:
			return isYes(a.text), a.err
		}
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
