package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
)

// copyLimit is how much text /copy gives to the terminal, in bytes. Terminals drop longer texts.
const copyLimit = 1 << 20

// Commands implements frontend.Commander.
func (u *UI) Commands() []command.Command {
	return []command.Command{
		{Name: "copy", Description: "Copy the last answer to the clipboard of the terminal", Run: u.inLoop(func(string) (string, error) { return copyAnswer(u.o.Out, u.show.lastAnswer) })},
		{Name: "theme", Description: "Choose the colours, or show the theme", Hints: []string{"[" + strings.Join(config.Themes(), "|") + "]"}, Run: u.inLoop(u.frame.chooseTheme)},
		{Name: "keys", Description: "List the keys", Run: u.inLoop(func(string) (string, error) { return listKeys(u.keys), nil })},
		shareCommand(func() shared { return u.shared }),
	}
}

// inLoop returns a command that runs in the goroutine of the program.
func (u *UI) inLoop(run func(args string) (string, error)) func(context.Context, string) (command.Result, error) {
	type result struct {
		text string
		err  error
	}
	return func(ctx context.Context, args string) (command.Result, error) {
		done := make(chan result, 1)
		u.do(func() {
			u.showEvents()
			text, err := run(strings.TrimSpace(args))
			done <- result{text, err}
		})
		select {
		case r := <-done:
			return command.Result{Output: r.text}, r.err
		case <-ctx.Done():
			return command.Result{}, context.Cause(ctx)
		}
	}
}

// copyAnswer gives an answer to the terminal by OSC 52.
func copyAnswer(out io.Writer, text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("copying the last answer: there is none yet")
	case len(text) > copyLimit:
		return "", fmt.Errorf("copying the last answer: it has %d bytes, and terminals take at most %d; /export FILE writes the session to a file", len(text), copyLimit)
	}
	if _, err := io.WriteString(out, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(text))+"\a"); err != nil {
		return "", fmt.Errorf("copying the last answer: %w", err)
	}
	return fmt.Sprintf("gave the last answer (%d bytes) to the clipboard of the terminal", len(text)), nil
}

// chooseTheme changes the colours until the session ends. Without a name it returns the present theme.
func (f *frame) chooseTheme(name string) (string, error) {
	if name == "" {
		return "theme " + f.theme.name, nil
	}
	if !slices.Contains(config.Themes(), name) {
		return "", fmt.Errorf("choosing the theme: there is no %q%s; the themes are %s", name, nearest.Hint(name, config.Themes()), strings.Join(config.Themes(), ", "))
	}
	f.theme.name = name
	f.applyTheme()
	return fmt.Sprintf("theme %s until the session ends; `theme: %s` in config/features/screen.yaml of your home keeps it", name, name), nil
}

// listKeys lists the actions and their keys.
func listKeys(keys keymap.Map) string {
	var rows [][2]string
	for _, binding := range keymap.Bindings() {
		rows = append(rows, [2]string{keys.Keys(binding.Action), string(binding.Action) + ": " + binding.About})
	}
	return plaintext.List(rows) + "\nChange keys in config/features/screen.yaml of your home."
}
