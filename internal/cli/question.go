package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/idelchi/aura/internal/ui/terminal"
)

// keyboard is the terminal on which the user answers questions.
type keyboard struct {
	in    *os.File
	lines *lineReader
}

// keyboardOf returns the keyboard of a user who sees questions on standard error. It returns false if input or standard error is
// not a terminal.
func keyboardOf(s streams) (keyboard, bool) {
	k, ok := keyboardOn(s.in)
	if s.lines != nil {
		k.lines = s.lines
	}
	return k, ok && isTerminal(s.err)
}

// keyboardOn returns the keyboard of an input. It returns false if the input is not a terminal.
func keyboardOn(input any) (keyboard, bool) {
	in, ok := input.(*os.File)
	if !ok || !isTerminal(in) {
		return keyboard{}, false
	}
	return keyboard{in: in, lines: &lineReader{}}, true
}

// ask shows a question and returns the line that the user types. Only what is typed after the question is shown answers it. The
// end of the input is an empty line.
func (k keyboard) ask(ctx context.Context, show func() error) (string, error) {
	if err := k.lines.rest(ctx); err != nil {
		return "", err
	}
	if err := terminal.DiscardTyped(k.in); err != nil {
		return "", err
	}
	if err := show(); err != nil {
		return "", fmt.Errorf("showing the question: %w", err)
	}
	answer := k.lines.ask(k.in)
	select {
	case <-ctx.Done():
		k.lines.withdraw()
		return "", context.Cause(ctx)
	case a := <-answer:
		if a.err != nil && strings.TrimSpace(a.text) == "" {
			return "", nil // the input has ended, so the default applies
		}
		return a.text, nil
	}
}

// askSecret asks for a line that the terminal does not show. Blanks around it are removed.
func (k keyboard) askSecret(ctx context.Context, s streams, question string) (string, error) {
	if err := terminal.DiscardTyped(k.in); err != nil {
		return "", err
	}
	fd := int(k.in.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("hiding what is typed: %w", err)
	}
	fmt.Fprint(s.err, question)
	defer fmt.Fprintln(s.err)
	answer := make(chan typed, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		answer <- typed{string(text), err}
	}()
	select {
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), term.Restore(fd, before))
	case a := <-answer:
		if errors.Is(a.err, io.EOF) {
			a.err = nil
		}
		return strings.TrimSpace(a.text), a.err
	}
}

// confirms asks a question whose answer is yes or no. about describes line by line what the question is about. Both are plain text.
func (k keyboard) confirms(ctx context.Context, s streams, about []string, question string) (bool, error) {
	answer, err := k.ask(ctx, func() error {
		_, err := fmt.Fprint(s.err, strings.Join(append(about, question+" [y/N] "), "\n"))
		return err
	})
	if err != nil {
		fmt.Fprintln(s.err)
		return false, because(ctx, err)
	}
	return isYes(answer), nil
}

// removal is something that a command is about to remove for good. All texts are plain text.
type removal struct {
	// about describes it, line by line. name is its name in the question.
	about []string
	name  string
	// verb is what happens to it; empty means Remove.
	verb string
	// unattended is the error if there is no terminal to ask on.
	unattended error
}

// confirm asks whether to remove it, and returns an error unless the answer is yes.
func (r removal) confirm(ctx context.Context, s streams) error {
	k, ok := keyboardOf(s)
	if !ok {
		return r.unattended
	}
	yes, err := k.confirms(ctx, s, r.about, cmp.Or(r.verb, "Remove")+" "+r.name+"?")
	if err == nil && !yes {
		err = fmt.Errorf("not confirmed, so nothing was %sd", strings.ToLower(cmp.Or(r.verb, "Remove")))
	}
	return err
}
