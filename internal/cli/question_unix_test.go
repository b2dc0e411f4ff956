//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// user is a user at a terminal who reads standard error and answers the first question there.
type user struct {
	t *testing.T
	bytes.Buffer
	terminal, keyboard *os.File
	answer             string
	asked              bool
}

// newUser returns a user who types ahead before any question is shown, and then answers.
func newUser(t *testing.T, ahead, answer string) *user {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	t.Cleanup(func() { _, _ = terminal.Close(), keyboard.Close() })
	u := &user{t: t, terminal: terminal, keyboard: keyboard, answer: answer}
	u.types(ahead)
	return u
}

// types types a text. It returns when the terminal has shown the text, so that the text can be read.
func (u *user) types(text string) {
	u.t.Helper()
	if _, err := io.WriteString(u.keyboard, text); err != nil {
		u.t.Fatal(err)
	}
	if _, err := io.ReadFull(u.keyboard, make([]byte, len(strings.ReplaceAll(text, "\n", "\r\n")))); err != nil {
		u.t.Fatal(err)
	}
}

// IsTerminal reports that the user sees what is written.
func (u *user) IsTerminal() bool { return true }

func (u *user) Write(p []byte) (int, error) {
	n, err := u.Buffer.Write(p)
	if !u.asked && strings.Contains(u.String(), "[y/N] ") {
		u.asked = true
		u.types(u.answer)
	}
	return n, err
}

// TestConfirms has a row for each answer to a question. In all rows but the first, something was typed before the question.
func TestConfirms(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, ahead, answer string
		yes                 bool
	}{
		{"yes", "", "y\n", true},
		{"yes in full", "n\n", " YES \n", true},
		{"no", "y\n", "n\n", false},
		{"nothing", "y\n", "\n", false},
		{"an unfinished line", "y", "\n", false},
		{"several lines", "y\ny\ny\n", "\n", false},
		{"always", "y\n", "always\n", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, row.ahead, row.answer)
			s := streams{in: u.terminal, err: u}
			k, ok := keyboardOf(s)
			if !ok {
				t.Fatal("there is no keyboard")
			}
			yes, err := k.confirms(t.Context(), s, []string{"first", "second"}, "Really?")
			if err != nil || yes != row.yes || u.String() != "first\nsecond\nReally? [y/N] " {
				t.Errorf("got %t, %v after %q", yes, err, u.String())
			}
		})
	}
}

// TestConfirmsCancelled ends the command while it waits for the answer.
func TestConfirmsCancelled(t *testing.T) {
	t.Parallel()
	u := newUser(t, "", "")
	s := streams{in: u.terminal, err: u}
	k, _ := keyboardOf(s)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if yes, err := k.confirms(ctx, s, nil, "Really?"); yes || !errors.Is(err, gone) {
		t.Errorf("got %t, %v", yes, err)
	}
	// The line ends the read that is left.
	u.types("\n")
}

// TestNoKeyboard asks nobody where nobody sees the question.
func TestNoKeyboard(t *testing.T) {
	t.Parallel()
	u := newUser(t, "", "")
	for name, s := range map[string]streams{
		"input is a buffer":          {in: &bytes.Buffer{}, err: u},
		"standard error is a buffer": {in: u.terminal, err: &bytes.Buffer{}},
	} {
		if _, ok := keyboardOf(s); ok {
			t.Error(name)
		}
	}
}
