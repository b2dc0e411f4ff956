package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
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
	plugin, err := l.firstPlugin(ctx)
	if err != nil {
		return err
	}
	total, child := l.options.restarts, plugin.Pid
	for n := 1; n <= total; n++ {
		if process, err := os.FindProcess(child); n%2 == 0 && err == nil {
			_ = process.Kill() // it may have ended
		}
		answer, err := plugin.Do(ctx, host.ActionRestart)
		if err != nil {
			return fmt.Errorf("restart %d of %s: %w", n, plugin.Name, err)
		}
		child = answer.Pid
		if n%max(total/10, 1) == 0 {
			now := samples{}
			if err := now.look(pid, l.plugins()); err != nil {
				return err
			}
			files, _ := middle(now[own][descriptors])
			routines, _ := middle(now[own][goroutines])
			used, _ := middle(now[own][memory])
			fmt.Fprintf(l.out, "restart %d of %d: aura has %d descriptors, %d goroutines, %.1f MB\n", n, total, files, routines, float64(used)/1e6)
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

// firstPlugin waits until plugins run, and returns the first.
func (l *soak) firstPlugin(ctx context.Context) (host.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		if list := host.Statuses(l.runtimeDirs()...); len(list) > 0 && list[0].Pid != 0 {
			return list[0], nil
		}
		select {
		case <-ctx.Done():
			return host.Status{}, errors.New("waiting for the plugins of the session: none runs")
		case <-ticker.C:
		}
	}
}
