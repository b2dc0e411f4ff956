package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/workspace"
)

// task is a task that this worker runs.
type task struct {
	*queue.Claim

	w *worker
	// root is a directory of the task's own; it contains the workspace and the state of the child.
	root  string
	space *workspace.Workspace
	watch *watcher
	notes []string
	// usedBefore is the time that earlier attempts took.
	usedBefore time.Duration
	// ran is called when the child has ended.
	ran func()
}

// returnDelay is how long nobody gets a task that a worker could not run.
const returnDelay = time.Second

// storeTime is how long the worker tries to store a result while the queue cannot be reached.
const storeTime = 10 * time.Minute

// run runs a claimed task to its end: a result, or back to the queue. It calls ran when the child has ended.
func (w *worker) run(hard context.Context, claim *queue.Claim, slots *queue.Slots, ran func()) error {
	ctx, cancel := context.WithCancelCause(hard)
	defer cancel(nil)
	w.mu.Lock()
	w.running[claim.Key()] = cancel
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, claim.Key())
		delete(w.storing, claim.Key())
	}()
	beating := make(chan struct{})
	beat, quiet := context.WithCancel(context.WithoutCancel(hard))
	go func() {
		defer close(beating)
		w.heartbeat(beat, claim, slots, cancel)
	}()
	defer func() {
		quiet()
		<-beating
	}()
	t := &task{Claim: claim, w: w, usedBefore: claim.Progress.Used, ran: func() {
		w.mu.Lock()
		w.storing[claim.Key()] = true
		w.mu.Unlock()
		ran()
	}}
	result, err := t.work(ctx)
	if t.root != "" {
		// The next task does not wait for it.
		defer w.removing.Go(func() { _ = removeAll(t.root) })
	}
	return t.storeOrRequeue(ctx, result, err)
}

// heartbeat keeps the task in this worker's hands.
func (w *worker) heartbeat(ctx context.Context, claim *queue.Claim, slots *queue.Slots, cancel context.CancelCauseFunc) {
	every := w.Queue.Heartbeat()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			limited, end := context.WithTimeout(ctx, every)
			if errors.Is(claim.Alive(limited), queue.ErrLost) {
				cancel(queue.ErrLost)
			}
			slots.Renew(limited, w.ID)
			end()
		}
	}
}

// fault is a failure of a task before its child ran.
type fault struct {
	class string
	err   error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// died means that the child was killed by something else than the worker.
type diedError struct{ words string }

func (e *diedError) Error() string { return "the process of the task was killed: " + e.words }

// slowError means that the provider asked to slow down.
type slowError struct{ err error }

func (e *slowError) Error() string { return e.err.Error() }

// work prepares the workspace and runs the child.
func (t *task) work(ctx context.Context) (fleet.Result, error) {
	r := fleet.Result{Started: time.Now().UTC(), Provider: t.Provider, Model: t.Model}
	if t.Progress.Deaths >= fleet.MaxDeaths && !t.answered() {
		r.Status, r.Class = fleet.StatusAside, fleet.ClassWorker
		r.Error = fmt.Sprintf("%d workers ended while they ran this task; its last words: %s", t.Progress.Deaths, t.words(ctx))
		return r, nil
	}
	err := t.permitted()
	if err != nil {
		return r, err
	}
	if t.root, err = os.MkdirTemp(t.w.Dir, "task-"); err != nil {
		return r, err
	}
	t.space, err = workspace.Prepare(ctx, t.begins(), workspace.Options{
		Root: t.root, Environ: t.w.Environ, LocalGit: t.w.LocalGit,
		Archive: func(ctx context.Context, w io.Writer) error {
			return t.w.Queue.Archive(ctx, t.Batch.Name, t.Workspace.Archive, w)
		},
	})
	if err != nil {
		return r, &fault{fleet.ClassWorkspace, err}
	}
	if err := t.trust(); err != nil {
		return r, err
	}
	if t.watch, err = t.restore(ctx); err != nil {
		return r, err
	}
	if !t.answered() {
		t.warm()
		err = t.child(ctx)
		t.learn()
	}
	t.ran()
	return t.result(ctx, r, err)
}

// permitted returns an error if this worker may not run the task, or cannot. A task that was answered is not run.
func (t *task) permitted() error {
	if t.answered() {
		return nil
	}
	if t.Trust != "" && !t.w.AllowTrusted {
		return &fault{fleet.ClassTrust, errors.New("the batch trusts the configuration of the workspace, which can run programs outside of the sandbox, and this worker does not permit it: start a worker with --allow-trusted, or submit without trust")}
	}
	for _, name := range t.Env {
		if !t.w.offers(name) {
			return &fault{fleet.ClassEnv, fmt.Errorf("the task needs the variable %s, which this worker does not offer: start a worker with the variable set and, if it has --env, with --env %s", name, name)}
		}
	}
	return nil
}

// state returns the state directory of the child.
func (t *task) state() string { return filepath.Join(t.root, "state") }

// trust checks the workspace against the submitter's decision, and records the consent to exactly these files.
func (t *task) trust() error {
	if t.Trust == "" || t.answered() {
		return nil
	}
	if t.space.Hash != t.Trust {
		return &fault{fleet.ClassTrust, fmt.Errorf("the batch trusts the workspace with the hash %s, but this one has %s: nothing of it was run", t.Trust, t.space.Hash)}
	}
	if err := t.w.Trust(t.space.Dir, t.state()); err != nil {
		return &fault{fleet.ClassTrust, err}
	}
	return nil
}

// storeOrRequeue stores the result of a task, or puts the task back.
func (t *task) storeOrRequeue(ctx context.Context, r fleet.Result, failed error) error {
	cause := context.Cause(ctx)
	// The result is stored even if the worker is about to end.
	store, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	var broken *fault
	var died *diedError
	var slow *slowError
	switch {
	case errors.Is(cause, queue.ErrLost), errors.Is(cause, errCanceled), errors.Is(failed, queue.ErrLost):
		t.w.Tell(fmt.Sprintf("task %s: given up: %v", t.Key(), queue.ErrLost))
		return nil
	case failed == nil:
	case errors.Is(cause, errHandBack):
		t.w.Tell(fmt.Sprintf("task %s: handed back", t.Key()))
		return t.back(store, 0)
	case ownFault(failed) || t.w.healthy() != nil:
		t.w.Tell(fmt.Sprintf("task %s: put back, because this worker cannot run it: %v", t.Key(), failed))
		return t.back(store, returnDelay)
	case errors.Is(failed, errInterrupted):
		if !t.w.stopping.Load() {
			t.Progress.Deaths++
		}
		t.w.Tell(fmt.Sprintf("task %s: put back: %v", t.Key(), failed))
		return t.back(store, returnDelay)
	case errors.As(failed, &slow):
		return t.slowed(store, r, slow)
	case errors.As(failed, &died):
		t.Progress.Deaths++
		t.Progress.Words = died.words
		t.w.Tell(fmt.Sprintf("task %s: %v", t.Key(), failed))
		return t.back(store, returnDelay)
	case errors.As(failed, &broken):
		r.Status, r.Class, r.Error = fleet.StatusFailed, broken.class, failed.Error()
	default:
		r.Status, r.Class, r.Error = fleet.StatusFailed, fleet.ClassTask, failed.Error()
	}
	return t.finish(store, r)
}

func (t *task) finish(ctx context.Context, r fleet.Result) error {
	r.Ended = time.Now().UTC()
	r.Notes = append(r.Notes, t.notes...)
	r.Error = limitText(r.Error)
	return t.Finish(ctx, r)
}

// used returns the time that the task took so far.
func (t *task) used() time.Duration { return t.usedBefore + time.Since(t.Progress.Started) }

// slowed makes the fleet slow down, and puts the task back unless that happened too often.
func (t *task) slowed(ctx context.Context, r fleet.Result, why *slowError) error {
	if err := t.w.Queue.SlowDown(ctx, t.Provider); err != nil {
		return err
	}
	if t.Progress.Slowed++; t.Progress.Slowed > fleet.MaxSlowed {
		r.Status, r.Class, r.Error = fleet.StatusFailed, "rate_limit", why.Error()
		return t.finish(ctx, r)
	}
	delay, err := t.w.Queue.Slowed(ctx, t.Provider)
	if err != nil {
		return err
	}
	t.w.Tell(fmt.Sprintf("task %s: the provider asks to slow down; waiting for %s", t.Key(), delay.Round(time.Second)))
	return t.back(ctx, max(delay, 0))
}

// back saves how far the task is, and puts it back.
func (t *task) back(ctx context.Context, delay time.Duration) error {
	if t.watch != nil {
		t.Progress.Used = t.used()
		if t.Progress.Words == "" {
			t.Progress.Words = t.watch.words()
		}
		if err := t.watch.save(ctx, ctx); errors.Is(err, queue.ErrLost) {
			return err
		}
	}
	return t.Return(ctx, delay)
}

// ownFault reports whether a failure is the worker's, not the task's.
func ownFault(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return strings.Contains(err.Error(), "No space left on device")
}

// maxText is the size of the largest error text in a result, in bytes.
const maxText = 8 << 10

func limitText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + " …"
	}
	return text
}

// offers reports whether tasks may use a variable of the worker. Those of the fleet itself would let a task write to the queue.
func (w *worker) offers(name string) bool {
	allowed := w.Offered == nil || slices.Contains(w.Offered, name)
	return allowed && !strings.HasPrefix(name, "AURA_") && w.variable(name) != ""
}

// variable returns a variable of the worker.
func (w *worker) variable(name string) string {
	for _, entry := range w.Environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// removeAll removes a directory of a task, even if the task made parts of it read-only.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // the directory is removed next
		}
		return nil
	})
	return os.RemoveAll(dir)
}
