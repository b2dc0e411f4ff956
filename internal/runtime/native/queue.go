package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

const (
	// queueDir is the directory of the builds that wait for Drain, a file per program. drainLock is the lock of the process that runs them.
	queueDir  = "queue"
	drainLock = "drain"
	// DrainTime is how long a process runs builds of the queue. Those that are left wait for the next one.
	DrainTime = 15 * time.Minute
	// maxJob is the size of the largest build that is queued, in bytes, and jobAge how long one waits. maxJobs is how many may wait.
	maxJob  = 128 << 20
	jobAge  = 24 * time.Hour
	maxJobs = 64
	// drainWait is how long a process waits for its turn: long enough for another one that only looks at the lock.
	drainWait = time.Second
	// resultEvery is the interval at which the result of a build in another process is looked for.
	resultEvery = 100 * time.Millisecond
)

// job is a file of the queue: everything that a build needs, so that nothing of the plugin is read again.
type job struct {
	Version   string
	Toolchain Toolchain
	Confined  bool
	Package   string
	Tree      map[string][]byte
	Originals map[string]string
}

func (p Program) job() string { return filepath.Join(p.builder.Dir, queueDir, p.key) }

// queue leaves the build to the process that calls Drain next.
func (p Program) queue() error {
	text, err := json.Marshal(job{
		Version: p.builder.Version, Toolchain: p.builder.Toolchain, Confined: p.builder.Confined, Package: p.pkg, Tree: p.tree, Originals: p.originals,
	})
	if err == nil && len(text) > maxJob {
		err = fmt.Errorf("the source of the program has more than %d MB", maxJob>>20)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(p.job()), 0o700)
	}
	if err == nil {
		err = files.Replace(p.job(), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("queueing the build of the plugin: %w", err)
	}
	return nil
}

// queued reports whether the build waits for Drain, or Drain runs it.
func (p Program) queued() bool {
	_, err := os.Lstat(p.job())
	return err == nil
}

// draining reports whether a process runs the builds of the queue.
func (b Builder) draining() bool {
	held, err := lock.Try(filepath.Join(b.Dir, drainLock), 0)
	if err == nil {
		_ = held.Release() // it was taken only to look
	}
	return errors.Is(err, lock.ErrHeld)
}

// Building reports whether another process builds the program, or other programs before it.
func (p Program) Building() bool { return p.queued() && p.builder.draining() }

// errEnded is the error of a build whose process was killed.
var errEnded = errors.New("the process that compiles plugins ended before the program was there; the next start of the plugin starts the build again")

// Ahead builds the program in a process that goes on when this one ends, and waits for the program. start starts that process, which calls
// Drain; ended is closed at its end. The build goes on after ctx.
func (p Program) Ahead(ctx context.Context, start func() (ended <-chan struct{}, err error)) error {
	if p.Ready() || p.Failed() != nil {
		return p.Build(ctx, func() {})
	}
	err := p.queue()
	var ended <-chan struct{}
	if err == nil {
		ended, err = start()
	}
	if err != nil {
		return p.Build(ctx, func() {})
	}
	ticker := time.NewTicker(resultEvery)
	defer ticker.Stop()
	for !p.ended(ended) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if p.queued() {
		return errEnded
	}
	// The build has ended. If it did so for a reason that is not the source's, such as a full disk, this one finds the reason.
	return p.Build(ctx, func() {})
}

// ended reports whether no process builds the program any more.
func (p Program) ended(started <-chan struct{}) bool {
	select {
	case <-started:
		// The process ends at once if another one was draining.
		return !p.Building()
	default:
		return !p.queued()
	}
}

// Drain builds all programs of the queue, unless another process does so. The queue is that of the builder's directory; the other fields of the
// builder but Version are ignored. run returns what runs the go command.
func (b Builder) Drain(ctx context.Context, run func(confined bool) Runner) error {
	ctx, cancel := context.WithTimeout(ctx, DrainTime)
	defer cancel()
	// A build may be queued between the last look at the queue and the release of the lock, while its own process finds the lock held.
	for len(b.jobs()) > 0 {
		if mine, err := b.drain(ctx, run); !mine || err != nil {
			return err
		}
	}
	return nil
}

// drain builds the programs of the queue under the lock. It reports whether this process got the lock.
func (b Builder) drain(ctx context.Context, run func(confined bool) Runner) (mine bool, err error) {
	turn, cancel := context.WithTimeout(ctx, drainWait)
	defer cancel()
	held, err := lock.Wait(turn, filepath.Join(b.Dir, drainLock), func() {})
	if err != nil {
		if turn.Err() != nil {
			err = nil
		}
		return false, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	for jobs := b.jobs(); len(jobs) > 0 && ctx.Err() == nil; jobs = b.jobs() {
		path := filepath.Join(b.Dir, queueDir, jobs[0])
		if p, ok := b.read(path, jobs[0], run); ok && len(jobs) <= maxJobs {
			// The next session finds the reason: see Ahead.
			_ = p.Build(ctx, func() {})
		}
		if ctx.Err() != nil {
			break
		}
		if err := os.Remove(path); err != nil {
			return true, fmt.Errorf("removing a finished build from the queue: %w", err)
		}
	}
	return true, ctx.Err()
}

// jobs returns the builds that wait, the oldest first.
func (b Builder) jobs() []string {
	entries, err := files.ReadDir(filepath.Join(b.Dir, queueDir), 2*maxJobs)
	if err != nil {
		return nil
	}
	type waiting struct {
		name  string
		since time.Time
	}
	var found []waiting
	for _, e := range entries {
		// Others are files that are being written.
		if info, err := e.Info(); err == nil && keyName(e.Name()) {
			found = append(found, waiting{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(found, func(a, b waiting) int { return a.since.Compare(b.since) })
	var out []string
	for _, w := range found {
		out = append(out, w.name)
	}
	return out
}

// keyName reports whether a name of a file is the key of a program.
func keyName(name string) bool {
	return len(name) == 2*keySize && strings.Trim(name, "0123456789abcdef") == ""
}

// read reads a build of the queue. Those of other versions of aura, and those that waited for too long, are not run.
func (b Builder) read(path, key string, run func(confined bool) Runner) (Program, bool) {
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) > jobAge {
		return Program{}, false
	}
	text, err := files.ReadNoFollow(path, maxJob)
	if err != nil {
		return Program{}, false
	}
	var j job
	if json.Unmarshal(text, &j) != nil || j.Version != b.Version {
		return Program{}, false
	}
	b.Toolchain, b.Confined, b.Run = j.Toolchain, j.Confined, run(j.Confined)
	return Program{builder: b, pkg: j.Package, tree: j.Tree, originals: j.Originals, key: key}, true
}
