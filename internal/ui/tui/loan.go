package tui

import (
	"context"
	"fmt"
	"os"
	"sync"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/idelchi/aura/internal/system/process"
)

// The modes of the terminal that the screen sets, and how they are reset: bracketed paste, reports of the focus, and keys with modifiers.
const (
	screenModes = "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;1m"
	normalModes = "\x1b[>4;0m\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[?25h"
	// askTerminal asks for the name of the terminal and for its background.
	askTerminal = "\x1b[>q\x1b]11;?\x1b\\"
)

// loan is the terminal with its modes, which the screen lends to other programs.
type loan struct {
	in, out *os.File
	frame   *frame
	program *tea.Program
	// do runs a function in the goroutine of the program.
	do func(f func())
	// ended is closed when the screen has ended.
	ended <-chan struct{}
	// cooked holds the modes of the terminal before the screen. released is set while they are in force, for another program.
	cooked   *term.State
	released bool
	// waiting holds those who asked for the terminal while another program had it.
	waiting []func()
	// outside counts the programs that have the terminal.
	outside sync.WaitGroup
}

// begin makes every key arrive at once, until end.
func (l *loan) begin() error {
	state, err := term.MakeRaw(int(l.in.Fd()))
	if err != nil {
		return fmt.Errorf("preparing the terminal: %w", err)
	}
	l.cooked = state
	return nil
}

func (l *loan) end() error { return term.Restore(int(l.in.Fd()), l.cooked) }

// resetModes resets what the screen has set, unless the terminal has its usual modes already.
func (l *loan) resetModes() error {
	if l.released {
		return nil
	}
	_, err := l.out.WriteString(normalModes)
	return err
}

// program is a program that has the terminal for a while.
type program struct {
	path    string
	args    []string
	dir     string
	environ []string
}

// lend gives the terminal to a program that run runs to its end or until the context ends, and calls then when the program has ended. Nothing
// is drawn meanwhile.
func (l *loan) lend(run func(context.Context) error, then func(error)) {
	l.giveAway(func() { l.outside.Go(func() { l.runOutside(run, then) }) })
}

// run runs a program on the terminal.
func (l *loan) run(ctx context.Context, p program) error {
	return process.Run(ctx, process.Spec{
		Path: p.path, Args: p.args, Dir: p.dir, Env: p.environ, Stdin: l.in, Stdout: l.out, Stderr: l.out, SameGroup: true,
	})
}

// giveAway calls give when nothing is drawn any more and no other program has the terminal.
func (l *loan) giveAway(give func()) {
	if l.frame.lent() {
		l.waiting = append(l.waiting, give)
		return
	}
	l.frame.giveAway(func() {
		l.released = true
		give()
	})
}

// returned draws again and calls then. err is why the terminal cannot be used any more.
func (l *loan) returned(err error, then func()) {
	l.released = false
	l.frame.takeBack(err)
	then()
	if len(l.waiting) > 0 {
		give := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.giveAway(give)
	}
}

// runOutside runs a program that has the terminal.
func (l *loan) runOutside(run func(context.Context) error, then func(error)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // the program ends with the screen
		select {
		case <-l.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := l.release()
	if err == nil {
		err = run(ctx)
	}
	if ctx.Err() != nil {
		return
	}
	back := l.takeBack()
	l.do(func() { l.returned(back, func() { then(err) }) })
}

// release gives the terminal back for a while.
func (l *loan) release() error {
	if _, err := l.out.WriteString(normalModes); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	if err := l.program.ReleaseTerminal(); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	if err := term.Restore(int(l.in.Fd()), l.cooked); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	return nil
}

// takeBack takes the terminal again.
func (l *loan) takeBack() error {
	if _, err := term.MakeRaw(int(l.in.Fd())); err != nil {
		return fmt.Errorf("taking the terminal again: %w", err)
	}
	if _, err := l.out.WriteString(screenModes); err != nil {
		return fmt.Errorf("taking the terminal again: %w", err)
	}
	if err := l.program.RestoreTerminal(); err != nil {
		return fmt.Errorf("taking the terminal again: %w", err)
	}
	return nil
}
