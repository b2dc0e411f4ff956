package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/ui/relay"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// The screens run commands in the user's shell.
var (
	_ frontend.ShellRunner = (*UI)(nil)
	_ frontend.ShellRunner = (*Plain)(nil)
)

// RunShell implements frontend.ShellRunner. The command has the terminal, or a pseudo-terminal that aura passes on to it.
func (u *UI) RunShell(ctx context.Context, line string) {
	ended := make(chan error, 1)
	output, typed := &relay.Output{}, ""
	path, args := userShell(u.environ, line)
	run := func(ctx context.Context) error {
		left, err := runRelayed(ctx, u.o, relay.Program{Path: path, Args: args, Dir: u.o.Workdir, Environ: u.o.Environ}, output)
		if errors.Is(err, relay.ErrNone) {
			output = nil
			return u.loan.run(ctx, program{path, args, u.o.Workdir, u.o.Environ})
		}
		typed = left
		return err
	}
	u.do(func() {
		u.frame.print(u.show.prompt("!" + line))
		u.loan.lend(run, func(err error) {
			if text := shellFailure(err); text != "" {
				u.say(terminal.Failure, "! "+text)
			}
			if typed != "" {
				u.prompt.paste(typed)
			}
			ended <- err
		})
	})
	select {
	case err := <-ended:
		u.shared = newShared(line, output, err, u.o.Hide)
		if offer := u.shared.offer(u.commands()); offer != "" {
			u.do(func() { u.say(terminal.Quiet, offer) })
		}
	case <-ctx.Done():
	}
}

// runRelayed runs a program by a relay. It returns what the user typed and the program did not read, as text: answers of the terminal that were for
// the program must not become keys.
func runRelayed(ctx context.Context, o Options, p relay.Program, output *relay.Output) (typed string, err error) {
	leader, err := toolhost.Program()
	if err != nil {
		return "", relay.ErrNone
	}
	p.Leader = leader.Start
	left, err := relay.Run(ctx, o.In, o.Out, p, output)
	return plaintext.Strip(strings.ReplaceAll(string(left), "\r", "\n")), err
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
		u.prompt.remark("set EDITOR to edit the prompt in an editor")
		return
	}
	dir, err := draftDir(u.o.Drafts)
	if err != nil {
		u.say(terminal.Failure, "! editing the prompt: "+terminal.Hanging(err.Error()))
		return
	}
	file := filepath.Join(dir, "prompt.md")
	if err := files.Create(file, []byte(u.prompt.text()), 0o600); err != nil {
		u.edited(dir, "", fmt.Errorf("editing the prompt: %w", err))
		return
	}
	path, args := editorShell(u.environ, editor, file)
	// Editors read settings from the directory in which they start, such as .exrc.
	run := func(ctx context.Context) error { return u.loan.run(ctx, program{path, args, dir, u.o.SafeEnviron}) }
	u.loan.lend(run, func(err error) {
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

// edited shows the text that was edited, and removes its file.
func (u *UI) edited(dir, text string, err error) {
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		u.say(terminal.Failure, "! "+terminal.Hanging(err.Error()))
		return
	}
	u.prompt.replace(strings.TrimRight(text, "\n"))
}
