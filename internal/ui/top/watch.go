package top

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// Options describes the screen. Input and Output must be terminals.
type Options struct {
	Input, Output *os.File
	Environ       []string
	Look          terminal.Look
	Order         Order
	// Read asks all sessions. It is called from a goroutine of its own, once at a time.
	Read func() Reading
	// None is what is shown if there are no plugins.
	None string
}

// errGone reports that there is no terminal any more.
var errGone = errors.New("the terminal is gone")

// Watch shows the table on the alternate screen until the user quits or ctx ends. The terminal is then as it was before, unless it is
// gone.
func Watch(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := newModel(o)
	m.act = func(s host.Status, a host.Action) tea.Cmd {
		return func() tea.Msg {
			answer, err := s.Do(ctx, a)
			return acted{plugin: s.Name, action: a, answer: answer, err: err}
		}
	}
	m.lost = func() bool {
		_, _, err := term.GetSize(int(o.Output.Fd()))
		return err != nil
	}
	// aura handles signals itself: they end ctx.
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.Input), tea.WithOutput(o.Output), tea.WithEnvironment(o.Environ), tea.WithoutSignalHandler())
	last, err := program.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if end, ok := last.(*model); ok && end.gone {
		err = errGone
	}
	if err != nil {
		return fmt.Errorf("showing plugins: %w", err)
	}
	return nil
}
