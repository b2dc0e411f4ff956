package frontend

import (
	"context"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
)

// Line is what a user enters at once: a prompt, a slash command, or a command for the user's shell. Session.RunLine decides which of them
// it is, for all front ends.
type Line struct {
	// Text is what the user typed.
	Text string
	// Added is text that the front end adds to a prompt, such as the files that an editor sends with it.
	Added string
	// Attached are files that are sent with a prompt.
	Attached []Attachment
}

// Prompt returns the text for the model.
func (l Line) Prompt() string {
	if l.Added == "" {
		return l.Text
	}
	return strings.TrimRight(l.Text, "\n") + l.Added
}

// IsCommand reports whether a line is a slash command, known or not.
func IsCommand(text string) bool {
	_, _, ok := command.Parse(text)
	return ok
}

// ShellCommand returns the command of a line for the user's shell: what follows an exclamation mark. The line of a front end that is no
// ShellRunner is a prompt instead.
func ShellCommand(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "!")
	rest = strings.TrimSpace(rest)
	return rest, ok && rest != ""
}

// Run runs lines one after the other. It continues after a failure, which is reported, and returns the first failure. The files are sent
// with the first prompt.
func Run(ctx context.Context, s Session, lines []string, attached ...Attachment) error {
	var failed error
	for _, text := range lines {
		line := Line{Text: text}
		if !IsCommand(text) {
			line.Attached, attached = attached, nil
		}
		exit, err := s.RunLine(ctx, line)
		if failed == nil {
			failed = err
		}
		if exit || ctx.Err() != nil {
			break
		}
	}
	return failed
}
