package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/idelchi/aura/host"
)

const (
	// settled is the number of restarts after which the session is compared with its end. Go's memory has its size by then.
	settled = 500
	// startWait is how long the session has to start its plugins.
	startWait = time.Minute
)

// restart runs a session that waits for its model, and restarts one of its plugins. Every second time the process of the plugin is killed
// before, so that the connection breaks.
func (l *soak) restart(ctx context.Context) error {
	cmd, err := l.aura(ctx, []string{"run", "--json", "--home", "", "--provider", "waiting", "Wait."})
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	began := time.Now()
	s := &session{early: samples{}, late: samples{}, peaks: peaks{}}
	err = l.restarts(ctx, cmd.Process.Pid, s)
	// The session waits for an answer that does not come.
	err = errors.Join(err, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	if err != nil {
		return fmt.Errorf("restarting a plugin: %w\n%s", err, stderr.String())
	}
	s.took, s.crashes = time.Since(began), l.options.restarts
	fmt.Fprintf(l.out, "\n%d restarts of one plugin; restart %d against the end\n", l.options.restarts, l.settledAt())
	return l.report(s)
}

func (l *soak) settledAt() int { return min(settled, l.options.restarts/2) }

// restarts restarts the plugin and measures the processes in between.
func (l *soak) restarts(ctx context.Context, pid int, s *session) error {
	name, err := l.firstPlugin(ctx)
	if err != nil {
		return err
	}
	total := l.options.restarts
	for n := 1; n <= total; n++ {
		if n%max(total/10, 1) == 0 {
			fmt.Fprintf(l.out, "restart %d of %d\n", n, total)
		}
		if err := l.restartOnce(ctx, name, n%2 == 0); err != nil {
			return fmt.Errorf("restart %d of %s: %w", n, name, err)
		}
		switch {
		case n > l.settledAt()-window && n <= l.settledAt():
			err = s.early.look(pid, l.plugins())
		case n == l.settledAt()+1:
			resetPeaks(pid, l.plugins())
		case n > total-window:
			s.peaks.look(pid, l.plugins())
			err = s.late.look(pid, l.plugins())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstPlugin waits until plugins run, and returns the name of the first.
func (l *soak) firstPlugin(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		if names := sorted(l.plugins()); len(names) > 0 {
			return names[0], nil
		}
		select {
		case <-ctx.Done():
			return "", errors.New("waiting for the plugins of the session: none runs")
		case <-ticker.C:
		}
	}
}

// restartOnce asks the session to restart a plugin, after killing its process if kill is set.
func (l *soak) restartOnce(ctx context.Context, name string, kill bool) error {
	list := host.Statuses(l.runtimeDirs()...)
	i := slices.IndexFunc(list, func(s host.Status) bool { return s.Name == name })
	if i < 0 {
		return errors.New("the session does not report it")
	}
	if child, err := os.FindProcess(list[i].Pid); kill && err == nil {
		_ = child.Kill() // it may be restarting
	}
	_, err := list[i].Do(ctx, host.ActionRestart)
	return err
}
