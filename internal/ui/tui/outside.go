package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// shellLine returns the command of a line that begins with an exclamation mark.
func shellLine(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "!")
	return strings.TrimSpace(text), ok && strings.TrimSpace(text) != ""
}

// runShell runs a command in the user's shell, with the terminal, as the user.
func (u *UI) runShell(line string) {
	u.print(u.show.prompt("!" + line))
	path, args := userShell(u.environ, line)
	u.outside(program{path, args, u.o.Workdir, u.o.Environ}, func(err error) {
		if text := shellFailure(err); text != "" {
			u.say(terminal.Failure, "! "+text)
		}
		u.next()
	})
}

// shellFailure describes how a command of the user failed. It is empty after a success, as in a shell.
func shellFailure(err error) string {
	code, exited := process.ExitCode(err)
	switch {
	case err == nil:
		return ""
	case exited:
		return fmt.Sprintf("exit status %d", code)
	default:
		return terminal.Hanging(err.Error())
	}
}

// editOutside lets the user edit the text of the input in an editor.
func (u *UI) editOutside() {
	editor := u.environ("VISUAL")
	if editor == "" {
		editor = u.environ("EDITOR")
	}
	if editor == "" {
		u.hint = "set EDITOR to edit the prompt in an editor"
		return
	}
	dir, err := draftDir(u.o.Drafts)
	if err != nil {
		u.say(terminal.Failure, "! editing the prompt: "+terminal.Hanging(err.Error()))
		return
	}
	file := filepath.Join(dir, "prompt.md")
	if err := files.Create(file, []byte(u.input.editor.Text()), 0o600); err != nil {
		u.edited(dir, "", fmt.Errorf("editing the prompt: %w", err))
		return
	}
	path, args := editorShell(u.environ, editor, file)
	// Editors read settings from the directory in which they start, such as .exrc.
	u.outside(program{path, args, dir, u.o.SafeEnviron}, func(err error) {
		if err != nil {
			u.edited(dir, "", fmt.Errorf("running the editor %s: %w", plaintext.Line(editor), err))
			return
		}
		const most = 1 << 20 // bytes
		text, err := files.ReadNoFollow(file, most)
		u.edited(dir, string(text), err)
	})
}

// draftDir creates a directory for one prompt. The editor is not confined, so it must not be a directory for temporary files: tools
// and plugins could put a link there.
func draftDir(parent string) (string, error) {
	if parent == "" {
		return "", errors.New("there is no directory for it; set HOME or XDG_STATE_HOME")
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "prompt-")
}

// edited takes the text that was edited, and removes its file.
func (u *UI) edited(dir, text string, err error) {
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		u.say(terminal.Failure, "! "+terminal.Hanging(err.Error()))
		return
	}
	u.input.editor.Set(strings.TrimRight(text, "\n"))
	u.typed()
}

// program is a program that has the terminal for a while.
type program struct {
	path    string
	args    []string
	dir     string
	environ []string
}

// outside gives the terminal to a program, and calls then when the program has ended. Nothing is drawn meanwhile.
func (u *UI) outside(p program, then func(error)) {
	u.giveAway(func() { u.runOutside(p, then) })
}

// giveAway stops drawing, and calls give when the terminal has answered all probes: a late answer would be input of another program.
func (u *UI) giveAway(give func()) {
	u.away = true
	u.answered(func() {
		if err := u.screen.Clear(); err != nil {
			u.failed = err
			return
		}
		u.released = true
		give()
	})
}

// answered calls then when the terminal has answered all probes, or does not answer in time.
func (u *UI) answered(then func()) {
	if u.screen.Answered() {
		then()
		return
	}
	then = sync.OnceFunc(then)
	u.whenAnswered = append(u.whenAnswered, then)
	time.AfterFunc(patience, func() { u.do(then) })
}

// probesAnswered calls what waits for the answers of the terminal.
func (u *UI) probesAnswered() {
	waiting := u.whenAnswered
	u.whenAnswered = nil
	for _, then := range waiting {
		then()
	}
}

// runOutside runs a program that has the terminal.
func (u *UI) runOutside(p program, then func(error)) {
	u.outsiders.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { // the program ends with the screen
			select {
			case <-u.inbox.ended:
				cancel()
			case <-ctx.Done():
			}
		}()
		err := u.release()
		if err == nil {
			err = process.Run(ctx, process.Spec{
				Path: p.path, Args: p.args, Dir: p.dir, Env: p.environ, Stdin: u.o.In, Stdout: u.o.Out, Stderr: u.o.Out, SameGroup: true,
			})
		}
		if ctx.Err() != nil {
			return
		}
		back := u.takeBack()
		u.do(func() {
			u.away, u.released, u.failed = false, false, back
			then(err)
		})
	})
}

// release gives the terminal back for a while.
func (u *UI) release() error {
	if _, err := u.o.Out.WriteString(resetModes); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	if err := u.program.ReleaseTerminal(); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	if err := term.Restore(int(u.o.In.Fd()), u.cooked); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	return nil
}

// takeBack takes the terminal again.
func (u *UI) takeBack() error {
	if _, err := term.MakeRaw(int(u.o.In.Fd())); err != nil {
		return fmt.Errorf("taking the terminal again: %w", err)
	}
	if _, err := u.o.Out.WriteString(setModes); err != nil {
		return fmt.Errorf("taking the terminal again: %w", err)
	}
	if err := u.program.RestoreTerminal(); err != nil {
		return fmt.Errorf("taking the terminal again: %w", err)
	}
	return nil
}
