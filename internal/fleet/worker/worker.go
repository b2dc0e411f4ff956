// Package worker takes tasks from a queue and runs each in a child aura, in a workspace of its own.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/base/lock"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

// Options describe a worker.
type Options struct {
	Queue *queue.Queue
	// ID is unique among all workers. Host and Version are for people.
	ID, Host, Version string
	// Policy returns the hash of the policy of this machine as it is now; nil if nobody needs it. It may take long.
	Policy func() string
	// Slots is how many tasks run at once.
	Slots int
	// Dir is the directory in which each task gets a directory of its own. No confined process can write to it otherwise.
	Dir string
	// Aura is the program that runs tasks. Args are flags for it that say where the worker's configuration is.
	Aura string
	Args []string
	// Environ is the environment of the worker. Offered names the variables that batches can ask for; nil means all but those of the
	// fleet itself.
	Environ []string
	Offered []string
	// LocalGit permits repositories on the worker's own disk.
	LocalGit bool
	// AllowTrusted permits batches to trust the configuration of their workspaces, which can run programs outside of the sandbox.
	AllowTrusted bool
	// Trust records the consent to the files of a workspace as they are now, in the given state directory.
	Trust func(dir, state string) error
	// Grace is how long running tasks may take to finish once ctx has ended. Then they are handed back.
	Grace time.Duration
	// UntilEmpty ends the worker when no task is left.
	UntilEmpty bool
	// Tell receives what happens, a line each.
	Tell func(text string)
}

const (
	// patience is how long a worker waits for a task before it asks again. It is not short: if a busy server sends a task to a worker that
	// has stopped waiting, nobody gets the task until it is taken over.
	patience = 5 * time.Second
	// lookEvery is the time between two looks whether a task is left.
	lookEvery = 300 * time.Millisecond
	// reportEvery is the time between two reports of a worker.
	reportEvery = 5 * time.Second
	// sickTime is how long a worker that cannot write takes no task.
	sickTime = 3 * time.Second
)

// worker is a running worker.
type worker struct {
	Options

	since time.Time
	mu    sync.Mutex
	// running holds the function that ends a task, by the task's key. storing holds the tasks whose child has ended.
	running map[string]context.CancelCauseFunc
	storing map[string]bool
	note    string
	// stopping is set once the worker takes no more tasks.
	stopping atomic.Bool
	// lock is held as long as the worker's directory is in use.
	lock *lock.Lock
	// caching guards the worker's copy of the cache.
	caching sync.RWMutex
	// removing counts the directories of tasks that are being removed.
	removing sync.WaitGroup
}

// Causes of the end of a task that are not its own.
var (
	errHandBack = errors.New("the worker stops")
	errCanceled = errors.New("the task was canceled")
)

// Run runs tasks until ctx ends, or with UntilEmpty until no task is left. When it returns, no process of a task is left.
func Run(ctx context.Context, o Options) error {
	w := &worker{Options: o, since: time.Now().UTC(), running: map[string]context.CancelCauseFunc{}, storing: map[string]bool{}}
	if err := w.prepare(); err != nil {
		return err
	}
	defer func() { _ = w.tidy() }()
	stop, err := o.Queue.Cancels(func(batch, task string) { w.end(batch+"."+task, errCanceled) })
	if err != nil {
		return err
	}
	defer stop()
	// hard ends when running tasks must be handed back.
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	finished := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		w.stopping.Store(true)
		select {
		case <-time.After(o.Grace):
		case <-finished:
		}
		cancel(errHandBack)
	})()
	var slots sync.WaitGroup
	errs := make([]error, o.Slots)
	working, done := context.WithCancel(ctx)
	for i := range o.Slots {
		slots.Go(func() {
			if errs[i] = w.slot(working, hard); errs[i] != nil {
				done()
			}
		})
	}
	reporting := make(chan struct{})
	go func() {
		defer close(reporting)
		w.report(finished)
	}()
	slots.Wait()
	done()
	close(finished)
	<-reporting
	return errors.Join(errs...)
}

// prepare makes the directory of the worker, and removes those of workers that were killed.
func (w *worker) prepare() error {
	fail := func(err error) error { return fmt.Errorf("preparing the worker's directory: %w", err) }
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return fail(err)
	}
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return fail(err)
	}
	for _, e := range entries {
		dir := filepath.Join(w.Dir, e.Name())
		if !e.IsDir() {
			continue
		}
		held, err := lock.Try(filepath.Join(dir, lockName), 0)
		if err != nil {
			continue // it belongs to a worker that runs, or to somebody else
		}
		_ = errors.Join(removeAll(dir), held.Release())
	}
	w.Dir = filepath.Join(w.Dir, w.ID)
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return fail(err)
	}
	if w.lock, err = lock.Try(filepath.Join(w.Dir, lockName), os.O_CREATE); err != nil {
		return fail(fmt.Errorf("%w: does another worker of the same name run here?", err))
	}
	return nil
}

// lockName is the file in the directory of a worker that the worker holds.
const lockName = "lock"

// tidy removes the directory of the worker.
func (w *worker) tidy() error {
	w.removing.Wait()
	return errors.Join(removeAll(w.Dir), w.lock.Release())
}

// slot runs one task after the other. While the result of a task is stored, the next one runs already.
func (w *worker) slot(ctx, hard context.Context) error {
	stored := make(chan struct{})
	close(stored)
	defer func() { <-stored }()
	for ctx.Err() == nil {
		if err := w.healthy(); err != nil {
			w.setNote(err.Error())
			sleep(ctx, sickTime)
			continue
		}
		w.setNote("")
		offer, err := w.next(ctx)
		if ctx.Err() != nil {
			if offer != nil {
				_ = offer.Later(0)
			}
			return nil
		}
		if err != nil {
			// The connection comes back by itself.
			w.Tell(err.Error())
			sleep(ctx, time.Second)
			continue
		}
		if offer == nil {
			if w.UntilEmpty && w.empty(ctx) {
				return nil
			}
			continue
		}
		ran, finished := make(chan struct{}), make(chan struct{})
		var newer *fleet.VersionError
		go func() {
			defer close(finished)
			err := w.handleOffer(ctx, hard, offer, func() { close(ran) })
			if err != nil && !errors.As(err, &newer) && !errors.Is(err, queue.ErrLost) {
				w.Tell(fmt.Sprintf("task %s: %v", offer.Key(), err))
			}
		}()
		select {
		case <-ran:
		case <-finished:
			if newer != nil {
				return errors.Join(newer, offer.Later(time.Second))
			}
		}
		<-stored
		stored = finished
	}
	return nil
}

// next waits for a task. With UntilEmpty, it also returns when no task is left.
func (w *worker) next(ctx context.Context) (*queue.Offer, error) {
	if !w.UntilEmpty {
		return w.Queue.Next(ctx, patience)
	}
	waiting, stop := context.WithCancel(ctx)
	looking := make(chan struct{})
	go func() {
		defer close(looking)
		for waiting.Err() == nil {
			sleep(waiting, lookEvery)
			if w.empty(waiting) {
				stop()
			}
		}
	}()
	offer, err := w.Queue.Next(waiting, patience)
	stop()
	<-looking
	return offer, err
}

// empty reports whether no task is queued, waiting or running anywhere.
func (w *worker) empty(ctx context.Context) bool {
	n, err := w.Queue.Waiting(ctx)
	return err == nil && n == 0
}

// handleOffer decides about a task that was offered, and runs it. It calls ran when the next task can begin.
func (w *worker) handleOffer(ctx, hard context.Context, offer *queue.Offer, ran func()) error {
	if offer.Fault != nil {
		if _, newer := errors.AsType[*fleet.VersionError](offer.Fault); newer {
			return offer.Fault
		}
		return offer.Refuse(hard, fleet.Result{Status: fleet.StatusFailed, Class: fleet.ClassTask, Error: fmt.Sprintf("the task cannot be read: %v", offer.Fault)})
	}
	batch, settled, err := offer.Settled(hard)
	if err != nil || settled {
		return err
	}
	all, err := w.Queue.FleetLimits(hard)
	if err != nil {
		return err
	}
	if batch.Limits.Counts() || all.Counts() {
		ran = func() {} // what a task used is counted with its result, and the next task must know it
	}
	slots, taken, err := w.admit(ctx, hard, offer, batch, all)
	if err != nil || !taken {
		return err
	}
	defer slots.Free(context.WithoutCancel(hard))
	claim, err := offer.Claim(hard, w.ID, batch)
	if err != nil {
		return err
	}
	return w.run(hard, claim, slots, ran)
}

// end ends a running task.
func (w *worker) end(key string, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.running[key]; cancel != nil {
		cancel(cause)
	}
}

func (w *worker) setNote(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.note != text && text != "" {
		w.Tell(text)
	}
	w.note = text
}

// report reports about the worker until it has finished. Reading the policy can take seconds, while its address does not answer: reports have the
// hash that was read last, and a change is reported at once.
func (w *worker) report(finished <-chan struct{}) {
	policy, read, reading := "", make(chan string, 1), false
	if w.Policy != nil {
		policy = PolicyUnread
	}
	for {
		if w.Policy != nil && !reading {
			reading = true
			go func() { read <- w.Policy() }()
		}
		w.reportOnce(policy)
		for next, waiting := time.After(reportEvery), true; waiting; {
			select {
			case <-finished:
				limited, cancel := context.WithTimeout(context.Background(), time.Second)
				w.Queue.Leave(limited, w.ID)
				cancel()
				return
			case now := <-read:
				waiting, policy, reading = now == policy, now, false
			case <-next:
				waiting = false
			}
		}
	}
}

// PolicyUnread stands for the hash of a policy that was not read yet.
const PolicyUnread = "unread"

func (w *worker) reportOnce(policy string) {
	w.mu.Lock()
	now := queue.Worker{ID: w.ID, Host: w.Host, Version: w.Version, Policy: policy, Slots: w.Slots, Since: w.since, Note: w.note, Running: []string{}}
	for key := range w.running {
		if !w.storing[key] {
			now.Running = append(now.Running, key)
		}
	}
	w.mu.Unlock()
	slices.Sort(now.Running)
	limited, cancel := context.WithTimeout(context.Background(), reportEvery)
	defer cancel()
	_ = w.Queue.Report(limited, now)
}

// probeSize is how much must fit on the worker's disk before it takes a task, in bytes.
const probeSize = 1 << 20

// healthy returns an error if the worker cannot write to its directory.
func (w *worker) healthy() error {
	f, err := os.CreateTemp(w.Dir, "probe-")
	if err == nil {
		_, err = f.Write(make([]byte, probeSize))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		// The name of the probe is different each time, and says nothing.
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		return fmt.Errorf("taking no task: the worker's directory %s cannot be written to: %w", w.Dir, err)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
