package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// nativeSwap builds the compiled program of a plugin, and lets a child with that program take over from the interpreted one.
type nativeSwap struct {
	// sup never changes. Of it, only the life cycle, the code, the log and the reports are used, and startUnderPolicy.
	sup *supervisor
	// The lock of the life cycle guards the fields below. next is a child with the compiled program, which waits until no call runs; nil if
	// there is none. build is the state of that program.
	next  *child
	build Build
}

// progressEvery is how often a build that the user waits for is reported.
const progressEvery = 10 * time.Second

// resolve returns the spec with which the plugin is started. It builds the program of a plugin that is never interpreted, and reports the
// progress.
func (w *nativeSwap) resolve(ctx context.Context, spec Spec) (Spec, error) {
	n := spec.Native
	if n != nil && n.First {
		if err := n.Build(ctx, func() {}); err != nil {
			w.sup.log.printf("[aura] plugin %s stays interpreted: %v", spec.Name, err)
		}
	}
	if n == nil || n.Ready() || !n.Only {
		return spec.now(), nil
	}
	began := time.Now()
	w.setBuild(Build{State: BuildRunning})
	w.sup.reports.notify(NoticeBuild, fmt.Sprintf("plugin %q is being compiled; the first time, this includes Go's standard library", spec.Name))
	done := make(chan struct{})
	w.sup.life.pending.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				w.sup.reports.notify(NoticeBuild, fmt.Sprintf("plugin %q is still being compiled, for %s", spec.Name, time.Since(began).Round(time.Second)))
			case <-done:
				return
			}
		}
	})
	err := spec.Native.Build(ctx, func() {
		w.sup.reports.notify(NoticeBuild, fmt.Sprintf("plugin %q waits for the build of another plugin", spec.Name))
	})
	close(done)
	if err != nil {
		w.setBuild(Build{State: BuildFailed, Reason: err.Error()})
		if ctx.Err() != nil {
			return spec, ctx.Err()
		}
		return spec, &Error{Plugin: spec.Name, Doing: "compiling", Kind: KindLoad, Err: err}
	}
	took := time.Since(began)
	w.setBuild(Build{State: BuildReady})
	w.sup.log.printf("[aura] plugin %s compiled in %s", spec.Name, took.Round(time.Millisecond))
	w.sup.reports.notify(NoticeBuild, fmt.Sprintf("plugin %q was compiled in %s", spec.Name, took.Round(100*time.Millisecond)))
	return spec.compiled(), nil
}

func (w *nativeSwap) setBuild(b Build) {
	w.sup.life.mu.Lock()
	defer w.sup.life.mu.Unlock()
	w.build = b
}

// compileAhead builds the program of an interpreted plugin in the background, and lets it take over at the next safe moment. The caller
// holds the lock of the life cycle.
func (w *nativeSwap) compileAhead(c *child, generation int) {
	n := w.sup.life.spec.Native
	if n == nil || !w.sup.opts.Compile || c.compiled || w.build.State != BuildNone || w.sup.life.over() {
		return
	}
	w.build = Build{State: BuildRunning}
	spec := w.sup.life.spec
	w.sup.life.pending.Go(func() { w.compile(spec, generation) })
}

// leave starts the build of a plugin whose first child was not ready before aura ends, so that the next start uses the program.
func (w *nativeSwap) leave(spec Spec) {
	n := spec.Native
	if n == nil || n.Only || !w.sup.opts.Compile || n.Describe().State != BuildPending {
		return
	}
	// It does not wait for the program, because the life of the supervisor is over.
	if err := n.Ahead(w.sup.life.ctx); err != nil && !errors.Is(err, context.Canceled) {
		w.sup.log.printf("[aura] plugin %s is not compiled: %v", spec.Name, err)
	}
}

func (w *nativeSwap) compile(spec Spec, generation int) {
	began := time.Now()
	if err := spec.Native.Ahead(w.sup.life.ctx); err != nil {
		if !w.sup.life.over() {
			w.sup.log.printf("[aura] plugin %s stays interpreted: %v", spec.Name, err)
		}
		w.setBuild(Build{State: BuildFailed, Reason: err.Error()})
		return
	}
	w.sup.log.printf("[aura] plugin %s compiled in %s", spec.Name, time.Since(began).Round(time.Millisecond))
	if spec.Native.State != "" {
		w.setBuild(Build{State: BuildReady, Reason: "it is used from the next start on, because " + spec.Native.State + " would be lost"})
		return
	}
	w.setBuild(Build{State: BuildReady})
	c, err := w.sup.startUnderPolicy(w.sup.life.ctx, spec)
	if err == nil {
		err = w.offer(c, generation)
	}
	if err != nil && !w.sup.life.over() {
		w.sup.log.printf("[aura] plugin %s stays interpreted: %v", spec.Name, err)
		w.setBuild(Build{State: BuildFailed, Reason: Reason(err).Error()})
	}
}

// offer makes a child with the program the next one. It takes over when no call runs.
func (w *nativeSwap) offer(c *child, generation int) error {
	w.sup.life.mu.Lock()
	var err error
	switch {
	case w.sup.life.over() || generation != w.sup.life.generation || w.sup.life.cur == nil || w.sup.life.cur.compiled:
		// The plugin was closed, reloaded or restarted meanwhile. Its next child runs the program anyway.
		err = context.Canceled
	case !sameExports(w.sup.code.exports, c.exports):
		err = errors.New("the compiled plugin exports something else than the interpreted one; run `aura plugins check`")
	case len(w.sup.life.cur.listens) > 0:
		err = context.Canceled
		w.build.Reason = "it is used from the next start on, because the plugin began to listen to events after it was loaded"
	}
	if err == nil {
		w.next = c
		w.swap()
		w.sup.life.mu.Unlock()
		return nil
	}
	w.sup.life.mu.Unlock()
	c.stop()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// swap lets the next child take over if no call runs. The caller holds the lock of the life cycle.
func (w *nativeSwap) swap() {
	next, old := w.next, w.sup.life.cur
	if next == nil || old == nil || old.inflight > 0 || len(w.sup.life.cancelled) > 0 || w.sup.life.over() {
		return
	}
	w.next = nil
	w.sup.code.adopt(next.exports)
	w.sup.life.set(StateReady, next, nil)
	w.sup.log.printf("[aura] plugin %s runs as its compiled program", w.sup.life.spec.Name)
	w.sup.life.pending.Go(func() {
		old.stop()
		<-next.proc.exited()
		w.sup.died(next)
	})
}

// dropNext stops the child that waits to take over, if there is one. The caller holds the lock of the life cycle.
func (w *nativeSwap) dropNext() {
	if next := w.next; next != nil {
		w.next = nil
		w.sup.life.pending.Go(next.stop)
	}
}

// runtime returns what runs the plugin, and the state of its program; nil if it has none. The caller holds the lock of the life cycle.
func (w *nativeSwap) runtime() (string, *Build) {
	switch {
	case w.sup.life.spec.Python():
		return string(manifest.RuntimePython), nil
	case w.sup.life.spec.NativeError != nil:
		return RuntimeInterpreted, &Build{State: BuildFailed, Reason: w.sup.life.spec.NativeError.Error()}
	case w.sup.life.spec.Native == nil:
		return RuntimeInterpreted, nil
	}
	b := w.build
	if b.State == BuildNone {
		b = w.sup.life.spec.Native.Describe()
	}
	if w.sup.life.cur != nil && w.sup.life.cur.compiled || w.sup.life.spec.Native.Only {
		return RuntimeNative, &b
	}
	return RuntimeInterpreted, &b
}
