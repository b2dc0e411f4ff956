package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
)

const (
	// window is the number of calls before and after a moment in which processes are measured. A single measurement may happen
	// just before a process frees memory.
	window = 20
	// crashEvery is the average number of calls between two crashes. crashPause is how long a plugin is left alone after a
	// crash, so that it is not quarantined.
	crashEvery = 60
	crashPause = 70 * time.Second
)

// session holds what was observed of one session.
type session struct {
	early, late samples
	peaks       peaks
	calls       int
	crashes     int
	took        time.Duration
	// troubles holds the distinct errors that the session reported.
	troubles []string
}

// session runs aura until it exits.
func (l *soak) session(ctx context.Context) (*session, error) {
	args := []string{"run", "--json", "--home", "", "--max-steps", fmt.Sprint(turnsPerPrompt + 1)}
	for n := range l.prompts() {
		args = append(args, fmt.Sprintf("Prompt %d: go on.", n+1))
	}
	cmd, err := l.aura(ctx, args)
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &watcher{soak: l, pid: cmd.Process.Pid, random: rand.New(rand.NewPCG(l.seed, 1)), crashed: map[string]time.Time{}, session: &session{early: samples{}, late: samples{}, peaks: peaks{}}}
	err = w.watch(stdout)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("holding a long session: %w\n%s", err, stderr.String())
	}
	w.took = time.Since(began)
	return w.session, nil
}

// aura returns a command that runs aura in the project, with a home directory of its own.
func (l *soak) aura(ctx context.Context, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, l.Bin("aura"), args...)
	cmd.Dir = l.project()
	home, temp := filepath.Join(l.Dir, "home"), filepath.Join(l.Dir, "tmp")
	cmd.Env = []string{
		"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"TMPDIR=" + temp, "PATH=" + os.Getenv("PATH"), "AURA_TRUST=1",
	}
	return cmd, errors.Join(os.MkdirAll(home, 0o700), os.MkdirAll(temp, 0o700))
}

// watcher follows a session by its events.
type watcher struct {
	*soak
	*session

	pid    int
	random *rand.Rand
	// crashed holds the time at which each plugin was last killed.
	crashed map[string]time.Time
	next    int
}

func (w *watcher) watch(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var e struct{ Type, Plugin, Error, Message string }
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("reading an event: %w", err)
		}
		switch e.Type {
		case "tool_result":
			w.calls++
			if err := w.at(w.calls); err != nil {
				return err
			}
		case "error", "plugin_error":
			w.trouble(fmt.Sprintf("%s %s%s", e.Plugin, e.Error, e.Message))
		}
	}
	if w.calls < w.options.calls {
		return fmt.Errorf("the session ended after call %d", w.calls)
	}
	return nil
}

func (w *watcher) trouble(text string) {
	const most = 20
	if len(w.troubles) < most {
		w.troubles = append(w.troubles, text)
	}
}

// at measures the processes near the two moments, and occasionally crashes a plugin between them.
func (w *watcher) at(n int) error {
	if step := max(w.options.calls/10, 1); n%step == 0 {
		fmt.Fprintf(w.out, "call %d of %d\n", n, w.options.calls)
	}
	switch {
	case n%5 == 0 && n > w.options.early-window && n <= w.options.early+window:
		return w.early.look(w.pid, w.plugins())
	case n == w.options.early+window+1:
		resetPeaks(w.pid, w.plugins())
	case n%5 == 0 && n > w.options.calls-2*window:
		plugins := w.plugins()
		w.peaks.look(w.pid, plugins)
		return w.late.look(w.pid, plugins)
	case n > w.options.early+window && n >= w.next && n < w.options.calls-5*window:
		w.next = n + 1 + w.random.IntN(2*crashEvery)
		return w.crash()
	}
	return nil
}

// plugins returns the plugins of this session, by name.
func (l *soak) plugins() map[string]host.PluginHealth {
	out := map[string]host.PluginHealth{}
	for _, h := range host.Running(l.runtimeDirs()...) {
		if h.Pid != 0 && strings.HasPrefix(h.Dir, l.project()+string(filepath.Separator)) {
			out[h.Name] = h
		}
	}
	return out
}

// runtimeDirs returns the directories in which the session of the project has its sockets.
func (l *soak) runtimeDirs() []string {
	return host.RuntimeDirs("", filepath.Join(l.Dir, "home", "state", "aura", "run"))
}

// crash kills one of the plugins that have not crashed recently.
func (w *watcher) crash() error {
	var names []string
	plugins := w.plugins()
	for _, name := range sorted(plugins) {
		if time.Since(w.crashed[name]) > crashPause {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	name := names[w.random.IntN(len(names))]
	w.crashed[name] = time.Now()
	child, err := os.FindProcess(plugins[name].Pid)
	if err == nil {
		err = child.Kill()
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing plugin %s: %w", name, err)
	}
	w.crashes++
	return nil
}
