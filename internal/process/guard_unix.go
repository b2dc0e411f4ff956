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

// watcherScript reads the number of a process group and waits for the end of aura, which is the end of its input. Then it kills the group.
const watcherScript = `read -r group || exit; read -r _; kill -9 "-$group"`

// watcher is a process that outlives aura by a moment, to kill a process group. A watcher of nil watches nothing.
type watcher struct {
	cmd *exec.Cmd
	// hold is the watcher's input, which only aura writes to.
	hold *os.File
}

// startWatcher starts a watcher, before there is a group to watch: a system that allows no more processes then starts neither. It is nil
// on a system without a shell.
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

// watch names the group. A watcher that is gone already was killed by somebody who could have killed aura as well.
func (w *watcher) watch(group int) {
	if w != nil {
		_, _ = fmt.Fprintln(w.hold, group)
	}
}

// end ends the watcher before its input ends.
func (w *watcher) end() {
	if w == nil {
		return
	}
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
	_ = w.hold.Close()
}
