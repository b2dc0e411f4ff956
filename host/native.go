package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/shared"
)

// Native is the program that is compiled from a plugin in Go.
type Native struct {
	// Key identifies the program; it changes with everything that goes into it.
	Key string
	// Only is set if the plugin is never interpreted.
	Only bool
	// First is set if the plugin waits for its build, and is interpreted only if that fails.
	First bool
	// State is what the running plugin would lose if it were replaced by its program; empty means nothing.
	State string
	// Program is the absolute path of the program, which is alone in its directory.
	Program string
	// Ready reports whether the program exists. Failed returns why it cannot be built, if that is known.
	Ready  func() bool
	Failed func() error
	// Build builds the program, unless it exists. It calls waiting if it must wait for other builds.
	Build func(ctx context.Context, waiting func()) error
}

// BuildState is the state of a plugin's program.
type BuildState string

// The states of a program.
const (
	BuildNone    BuildState = ""
	BuildRunning BuildState = "building"
	BuildReady   BuildState = "ready"
	BuildFailed  BuildState = "failed"
	// BuildPending is a program that no session has built yet.
	BuildPending BuildState = "not_built"
)

// Build describes the program of a plugin.
type Build struct {
	State BuildState `json:"state"`
	// Reason is why the build failed, or why the program is not used yet.
	Reason string `json:"reason,omitempty"`
}

// The runtimes of a plugin in Go.
const (
	RuntimeInterpreted = "interpreted"
	RuntimeNative      = "native"
)

// Describe returns the state of the program on disk.
func (n *Native) Describe() Build {
	if n == nil {
		return Build{}
	}
	if n.Ready() {
		return Build{State: BuildReady}
	}
	if err := n.Failed(); err != nil {
		return Build{State: BuildFailed, Reason: err.Error()}
	}
	return Build{State: BuildPending}
}

// same reports whether two specs have the same program.
func (n *Native) same(other *Native) bool {
	if n == nil || other == nil {
		return n == other
	}
	return n.Key == other.Key && n.Only == other.Only && n.State == other.State && n.Program == other.Program
}

// compiled returns the spec with which the plugin runs as its program.
func (s Spec) compiled() Spec {
	s.Guest = &shared.Guest{Program: s.Native.Program}
	s.asProgram = true
	return s
}

// now returns the spec with which the plugin runs if it is started now.
func (s Spec) now() Spec {
	if s.Native != nil && s.Native.Ready() {
		return s.compiled()
	}
	return s
}

// progressEvery is how often a build that the user waits for is reported.
const progressEvery = 10 * time.Second

// resolve returns the spec with which the plugin is started. It builds the program of a plugin that is never interpreted, and reports the
// progress.
func (s *supervisor) resolve(ctx context.Context, spec Spec) (Spec, error) {
	n := spec.Native
	if n != nil && n.First {
		if err := n.Build(ctx, func() {}); err != nil {
			s.log.printf("[aura] plugin %s stays interpreted: %v", spec.Name, err)
		}
	}
	if n == nil || n.Ready() || !n.Only {
		return spec.now(), nil
	}
	began := time.Now()
	s.setBuild(Build{State: BuildRunning})
	s.notify(NoticeBuild, fmt.Sprintf("plugin %q is being compiled; the first time, this includes Go's standard library", spec.Name))
	done := make(chan struct{})
	s.pending.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.notify(NoticeBuild, fmt.Sprintf("plugin %q is still being compiled, for %s", spec.Name, time.Since(began).Round(time.Second)))
			case <-done:
				return
			}
		}
	})
	err := spec.Native.Build(ctx, func() {
		s.notify(NoticeBuild, fmt.Sprintf("plugin %q waits for the build of another plugin", spec.Name))
	})
	close(done)
	if err != nil {
		s.setBuild(Build{State: BuildFailed, Reason: err.Error()})
		if ctx.Err() != nil {
			return spec, ctx.Err()
		}
		return spec, &Error{Plugin: spec.Name, Doing: "compiling", Kind: KindLoad, Err: err}
	}
	took := time.Since(began)
	s.setBuild(Build{State: BuildReady})
	s.log.printf("[aura] plugin %s compiled in %s", spec.Name, took.Round(time.Millisecond))
	s.notify(NoticeBuild, fmt.Sprintf("plugin %q was compiled in %s", spec.Name, took.Round(100*time.Millisecond)))
	return spec.compiled(), nil
}

func (s *supervisor) setBuild(b Build) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.build = b
}

// compileAhead builds the program of an interpreted plugin in the background, and lets it take over at the next safe moment. The caller
// holds the lock.
func (s *supervisor) compileAhead(c *child, generation int) {
	n := s.spec.Native
	if n == nil || !s.opts.Compile || c.compiled || s.build.State != BuildNone || s.life.Err() != nil {
		return
	}
	s.build = Build{State: BuildRunning}
	spec := s.spec
	s.pending.Go(func() { s.compile(spec, generation) })
}

func (s *supervisor) compile(spec Spec, generation int) {
	began := time.Now()
	if err := spec.Native.Build(s.life, func() {}); err != nil {
		if s.life.Err() == nil {
			s.log.printf("[aura] plugin %s stays interpreted: %v", spec.Name, err)
		}
		s.setBuild(Build{State: BuildFailed, Reason: err.Error()})
		return
	}
	s.log.printf("[aura] plugin %s compiled in %s", spec.Name, time.Since(began).Round(time.Millisecond))
	if spec.Native.State != "" {
		s.setBuild(Build{State: BuildReady, Reason: "it is used from the next start on, because " + spec.Native.State + " would be lost"})
		return
	}
	s.setBuild(Build{State: BuildReady})
	c, err := s.startUnderPolicy(s.life, spec)
	if err == nil {
		err = s.take(c, generation)
	}
	if err != nil && s.life.Err() == nil {
		s.log.printf("[aura] plugin %s stays interpreted: %v", spec.Name, err)
		s.setBuild(Build{State: BuildFailed, Reason: Reason(err).Error()})
	}
}

// take makes a child with the program the next one. It takes over when no call runs.
func (s *supervisor) take(c *child, generation int) error {
	s.mu.Lock()
	var err error
	switch {
	case s.life.Err() != nil || generation != s.generation || s.cur == nil || s.cur.compiled:
		// The plugin was closed, reloaded or restarted meanwhile. Its next child runs the program anyway.
		err = context.Canceled
	case !sameExports(s.exports, c.exports):
		err = errors.New("the compiled plugin exports something else than the interpreted one; run `aura plugins check`")
	case len(s.cur.listens) > 0:
		err = context.Canceled
		s.build.Reason = "it is used from the next start on, because the plugin began to listen to events after it was loaded"
	}
	if err == nil {
		s.next = c
		s.swap()
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	c.stop()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// swap lets the next child take over if no call runs. The caller holds the lock.
func (s *supervisor) swap() {
	next, old := s.next, s.cur
	if next == nil || old == nil || old.inflight > 0 || len(s.settling) > 0 || s.life.Err() != nil {
		return
	}
	s.next = nil
	s.exports, s.known, s.loaded = next.exports, true, true
	s.set(StateReady, next, nil)
	s.log.printf("[aura] plugin %s runs as its compiled program", s.spec.Name)
	s.pending.Go(func() {
		old.stop()
		<-next.proc.exited()
		s.died(next)
	})
}

// dropNext stops the child that waits to take over, if there is one. The caller holds the lock.
func (s *supervisor) dropNext() {
	if next := s.next; next != nil {
		s.next = nil
		s.pending.Go(next.stop)
	}
}

// sameExports reports whether two children of a plugin can be called in the same way.
func sameExports(a, b shared.Exports) bool {
	plain := func(e shared.Exports) string {
		// Empty and absent lists are the same.
		text, err := json.Marshal([]any{
			append(e.Hooks[:0:0], e.Hooks...), len(e.Tools), e.Tools, len(e.Commands), e.SystemPrompt, append([]string{}, e.Listens...),
		})
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	names := func(e shared.Exports) []string {
		var out []string
		for _, c := range e.Commands {
			out = append(out, c.Name)
		}
		return out
	}
	return plain(a) == plain(b) && slices.Equal(names(a), names(b))
}

// programDir returns the directory of the plugin's program, or an empty path.
func (s Spec) programDir() string {
	if !s.asProgram {
		return ""
	}
	return filepath.Dir(s.Native.Program)
}

// runtime returns what runs the plugin, and the state of its program; nil if it has none. The caller holds the lock.
func (s *supervisor) runtime() (string, *Build) {
	switch {
	case s.spec.Python():
		return string(manifest.RuntimePython), nil
	case s.spec.NativeError != nil:
		return RuntimeInterpreted, &Build{State: BuildFailed, Reason: s.spec.NativeError.Error()}
	case s.spec.Native == nil:
		return RuntimeInterpreted, nil
	}
	b := s.build
	if b.State == BuildNone {
		b = s.spec.Native.Describe()
	}
	if s.cur != nil && s.cur.compiled || s.spec.Native.Only {
		return RuntimeNative, &b
	}
	return RuntimeInterpreted, &b
}
