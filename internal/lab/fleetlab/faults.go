package fleetlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

// fault is something that happens when a number of tasks have ended.
type fault struct {
	at  int
	act func(context.Context) error
}

// watch waits until all tasks have ended, and makes the faults happen in between.
func (l *lab) watch(ctx context.Context, q *queue.Queue) error {
	b, err := q.Batch(ctx, batchName)
	if err != nil {
		return err
	}
	faults := l.faults()
	var failed error
	shown := 0
	for {
		ended := false
		err := q.Follow(ctx, b, 200*time.Millisecond, func(o *fleet.Overview) bool {
			for len(faults) > 0 && o.Ended() >= faults[0].at && failed == nil {
				failed = faults[0].act(ctx)
				faults = faults[1:]
			}
			if step := max(l.Tasks/10, 1); o.Ended() >= shown+step {
				shown = o.Ended() / step * step
				l.say("%d of %d tasks ended, %d per minute", o.Ended(), l.Tasks, o.PerMinute)
			}
			ended = o.Finished() && len(faults) == 0
			return !ended && failed == nil
		})
		if failed != nil || ended {
			return failed
		}
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), err, errors.New(l.texts()))
		}
		// The server that was asked may be the one that was killed. No event says when it can be asked again.
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// texts returns what the workers wrote.
func (l *lab) texts() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out strings.Builder
	for name, p := range l.workers {
		fmt.Fprintf(&out, "--- %s\n%s\n", name, p.text())
	}
	return out.String()
}

// faults draws when the faults happen: at random, between a tenth and three quarters of the tasks.
func (l *lab) faults() []fault {
	var out []fault
	when := func() int { return l.Tasks/10 + l.random.IntN(max(l.Tasks*65/100, 1)) }
	for range l.Kills {
		out = append(out, fault{when(), l.killWorker})
	}
	for range l.ServerKills {
		out = append(out, fault{when(), l.killServer})
	}
	span := max(l.Tasks/8, 1)
	cutAt, fullAt := when(), when()
	if l.Workers < 3 {
		// One worker must be able to work at any time, so one fault ends before the other begins.
		cutAt = l.Tasks/10 + l.random.IntN(max(l.Tasks/4, 1))
		fullAt = cutAt + span + 1 + l.random.IntN(max(l.Tasks/5, 1))
	}
	if l.Cut {
		out = append(out, fault{cutAt, func(context.Context) error { return l.cut(true) }}, fault{cutAt + span, func(context.Context) error { return l.cut(false) }})
	}
	if l.FullDisk {
		out = append(out, fault{fullAt, func(context.Context) error { return l.fill(true) }}, fault{fullAt + span, func(context.Context) error { return l.fill(false) }})
	}
	slices.SortStableFunc(out, func(a, b fault) int { return a.at - b.at })
	return out
}

// killWorker kills one of the workers, with everything that it runs, and starts another one of its kind. A worker that has its fault
// now is left alone.
func (l *lab) killWorker(ctx context.Context) error {
	l.mu.Lock()
	var names []string
	for name, p := range l.workers {
		if faulty := p.kind == cuttable && l.cutNow || p.kind == smallDisk && l.fullNow; !faulty {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		l.mu.Unlock()
		return errors.New("there is no worker to kill: each has a fault already")
	}
	slices.Sort(names)
	name := names[l.random.IntN(len(names))]
	p := l.workers[name]
	delete(l.workers, name)
	l.mu.Unlock()
	l.say("worker %s is killed", name)
	p.kill()
	return l.work(ctx, p.kind)
}

// cut cuts the network of one worker, or mends it.
func (l *lab) cut(on bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutNow = on
	l.proxy.cut(on)
	l.say("%s", map[bool]string{true: "the network of a worker is cut", false: "the network is back"}[on])
	return nil
}

// killServer kills a server and starts it again.
func (l *lab) killServer(ctx context.Context) error {
	i := l.random.IntN(len(l.servers))
	l.say("server %d is killed", i)
	l.servers[i].kill()
	p, err := l.server(i)
	if err != nil {
		return err
	}
	l.servers[i] = p
	return p.await(ctx, "ready")
}

// fill fills the disk of the worker with the small disk, or empties it. The disk is visible only in the namespace of that worker.
func (l *lab) fill(full bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var p *program
	for _, one := range l.workers {
		if one.kind == smallDisk {
			p = one
		}
	}
	l.fullNow = full
	path := filepath.Join(fmt.Sprintf("/proc/%d/root", p.cmd.Process.Pid), l.Dir, "disk", "fill")
	if !full {
		l.say("the disk of a worker is free again")
		return os.Remove(path)
	}
	l.say("the disk of a worker is full")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	for written := 0; err == nil && written < 2*diskSize; written += len(block) {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(fmt.Errorf("filling the disk of a worker: it does not become full: %w", err), f.Close())
	}
	return f.Close()
}

// judge compares what is in the queue with what must be there.
func (l *lab) judge(ctx context.Context, q *queue.Queue, out *Outcome) error {
	complain := func(format string, args ...any) {
		if len(out.Bad) < 50 {
			out.Bad = append(out.Bad, fmt.Sprintf(format, args...))
		}
	}
	seen := map[string]bool{}
	var starts []time.Time
	var last time.Time
	bad, err := q.Results(ctx, batchName, func(r fleet.Result) error {
		out.Results++
		starts = append(starts, r.Started)
		if r.Ended.After(last) {
			last = r.Ended
		}
		out.Requests += r.Requests
		out.Deaths += r.Deaths
		if r.Attempt > 1 {
			out.Repeated++
		}
		if seen[r.Task] {
			complain("task %s has two results", r.Task)
		}
		seen[r.Task] = true
		if r.Status != fleet.StatusDone || r.Final != "finished" || len(r.Files) != 2 {
			complain("task %s is %s (%s): %s; answer %q, %d files", r.Task, r.Status, r.Class, r.Error, r.Final, len(r.Files))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if slices.SortFunc(starts, time.Time.Compare); len(starts) > l.Warm {
		out.Worked = last.Sub(starts[l.Warm])
	}
	for _, one := range bad {
		complain("the result of task %s: %v", one.Task, one.Err)
	}
	if out.Results != l.Tasks {
		complain("%d results of %d tasks", out.Results, l.Tasks)
	}
	if out.Writes, err = q.Written(ctx); err != nil {
		return err
	}
	if out.Writes != l.Tasks {
		complain("%d results were stored for %d tasks", out.Writes, l.Tasks)
	}
	// Whoever continues a task may repeat one model call, and sends one that says so.
	if most := turns*l.Tasks + 2*(out.Repeated+out.Deaths); out.Requests < turns*l.Tasks || out.Requests > most {
		complain("%d model calls for %d tasks, of which %d were begun again: at most %d are possible", out.Requests, l.Tasks, out.Repeated, most)
	}
	return nil
}
