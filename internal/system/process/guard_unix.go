//go:build unix

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// watcherScript reads the number of a process group and waits for the end of its input, which is the end of aura. Then it kills
// the group.
const watcherScript = `read -r group || exit; read -r _; kill -9 "-$group"`

// watcher is a process that outlives aura for a moment to kill a process group. A nil watcher does nothing.
type watcher struct {
	cmd *exec.Cmd
	// hold is the write end of the watcher's input. Only aura has it.
	hold *os.File
}

// startWatcher starts a watcher. It must be called before the group is started: if the system allows no more processes, neither
// of them starts. It returns nil on a system without a shell.
func startWatcher() (*watcher, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer func() { _ = r.Close() }()
	cmd := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", watcherScript}, Dir: "/", Env: []string{}, Stdin: r,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	switch err := cmd.Start(); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, w.Close()
	case err != nil:
		return nil, errors.Join(fmt.Errorf("starting a watcher: %w", err), w.Close())
	}
	return &watcher{cmd: cmd, hold: w}, nil
}

// watch sends the number of the group to the watcher. A write error is ignored: only a process that could also have killed aura
// can have killed the watcher.
func (w *watcher) watch(group int) {
	if w != nil {
		_, _ = fmt.Fprintln(w.hold, group)
	}
}

// end kills the watcher before its input ends.
func (w *watcher) end() {
	if w == nil {
		return
	}
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
	_ = w.hold.Close()
}
