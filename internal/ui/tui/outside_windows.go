package tui

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspend does nothing: Windows has no jobs of a shell.
func (u *UI) suspend() { u.prompt.remark("Windows cannot suspend a program") }

// watchSize looks at the size of the terminal from time to time, because Windows sends no signal. The returned function ends this.
func watchSize(program *tea.Program) (stop func()) {
	ticker, done := time.NewTicker(250*time.Millisecond), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				program.Send(resized{})
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// userShell returns how the user's shell runs a command.
func userShell(environ func(string) string, line string) (path string, args []string) {
	shell := cmp.Or(environ("COMSPEC"), `C:\Windows\System32\cmd.exe`)
	return shell, []string{shell, "/C", line}
}

// editorShell returns how an editor is started on a file. EDITOR may have arguments, so a shell runs it.
func editorShell(environ func(string) string, editor, file string) (path string, args []string) {
	return userShell(environ, editor+` "`+file+`"`)
}

// statusShell returns how the user's status command is run.
func statusShell(environ func(string) string, line string) (path string, args []string) {
	return userShell(environ, line)
}
