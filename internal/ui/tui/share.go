package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/relay"
)

// shared is the output of the user's last command, which /share sends to the model.
type shared struct {
	// line is the command, and how its end. text is the output, without secrets. cut is set if text is only its end.
	line, how, text string
	cut             bool
	// refused is why there is nothing to send; empty if there is.
	refused string
}

// newShared returns what can be shared of a command. output is nil if it was not kept. hide removes secrets.
func newShared(line string, output *relay.Output, err error, hide func(string) string) shared {
	s := shared{line: hide(plaintext.Strip(line)), how: shellFailure(err)}
	if s.how == "" {
		s.how = "exit status 0"
	}
	switch {
	case output == nil:
		s.refused = "this system has no pseudo-terminals, so aura does not see what it writes"
		return s
	case output.TookScreen():
		s.refused = "it used the whole screen, so what it wrote is no text"
		return s
	}
	if s.text, s.cut = output.Text(); s.text == "" {
		s.refused = "it wrote nothing"
	}
	s.text = hide(s.text)
	return s
}

// offer returns the line that says how to share the output; empty if there is nothing to share.
func (s shared) offer(commands []frontend.CommandInfo) string {
	if s.refused != "" {
		return ""
	}
	last := ""
	if s.cut {
		last = "last "
	}
	return fmt.Sprintf("/%s sends its %s%s to the model", frontend.OwnCommand(commands, "share"), last, plaintext.Counted(strings.Count(s.text, "\n")+1, "line"))
}

// command returns /share. of returns what it sends. It is called in the goroutine of the session.
func shareCommand(of func() shared) command.Command {
	return command.Command{
		Name: "share", Description: "Send the output of your last !command to the model", Hints: []string{"[what to say]"},
		Run: func(_ context.Context, args string) (command.Result, error) {
			s := of()
			switch {
			case s.line == "":
				return command.Result{}, errors.New("sharing the output of a command: none ran in this session; !COMMAND runs one")
			case s.refused != "":
				return command.Result{}, fmt.Errorf("sharing the output of %s: %s", plaintext.Line(s.line), s.refused)
			}
			if args == "" {
				args = "I ran a command."
			}
			how := s.how
			if s.cut {
				how += ", the end of its output"
			}
			return command.Result{Output: args, Files: []command.File{{Name: s.line, Text: s.text, About: how}}, Forward: true}, nil
		},
	}
}
