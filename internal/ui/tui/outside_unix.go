//go:build unix

package tui

import (
	"cmp"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/ui/relay"
)

// suspend stops aura until the user's shell continues it.
func (u *UI) suspend() {
	u.loan.giveAway(func() { go u.loan.stopProcess() })
}

// stopProcess stops aura, which has given the terminal away.
func (l *loan) stopProcess() {
	err := l.release()
	if err == nil {
		err = relay.Suspend()
	}
	err = errors.Join(err, l.takeBack())
	l.do(func() { l.returned(err, func() {}) })
}

// watchSize tells the program when the size of the terminal changes. The returned function ends this.
func watchSize(program *tea.Program) (stop func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for range changed {
			program.Send(resized{})
		}
	}()
	return func() {
		signal.Stop(changed)
		close(changed)
	}
}

// userShell returns how the user's shell runs a command.
func userShell(environ func(string) string, line string) (path string, args []string) {
	shell := cmp.Or(environ("SHELL"), "/bin/sh")
	return shell, []string{filepath.Base(shell), "-c", line}
}

// editorShell returns how an editor is started on a file. EDITOR may have arguments, so a shell runs it, as git does.
func editorShell(_ func(string) string, editor, file string) (path string, args []string) {
	return "/bin/sh", []string{"sh", "-c", editor + ` "$@"`, editor, file}
}

// statusShell returns how the user's status command is run.
func statusShell(_ func(string) string, line string) (path string, args []string) {
	return "/bin/sh", []string{"sh", "-c", line}
}
