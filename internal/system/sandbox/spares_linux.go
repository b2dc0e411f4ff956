package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Run does what the function Run does, but uses a process that was started in advance, if there is one for such a command. It
// also starts the next process in advance and confines it as the last one, so that only the first call waits for that. The caller must
// call Close.
func (s *Spares) Run(ctx context.Context, c Command) (Result, error) { return s.run(ctx, c, true) }

func (s *Spares) run(ctx context.Context, c Command, ahead bool) (Result, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("running %s: %w", c.Call.Tool, err)
	}
	if c.Policy.traffic == nil {
		c.Policy.traffic = NewTraffic(Observer{})
	}
	p, err := s.begin(ctx, c)
	if err != nil {
		return Result{}, fmt.Errorf("starting a process for %s: %w", c.Call.Tool, orCause(ctx, err))
	}
	p.visit.use(c.Policy.traffic)
	used := c.Policy.traffic.Begin()
	// During a short call no other process competes for the processors. During a long call the next process can be started.
	refilled := make(chan struct{})
	refill := time.AfterFunc(refillAfter, func() {
		s.refill(c, ahead)
		close(refilled)
	})
	stop := context.AfterFunc(ctx, p.Kill)
	result := Result{Report: *p.report}
	result.Value, err = p.call(c.Call, c.Progress)
	stop()
	p.finish()
	result.Refused, result.Dropped = used.End()
	if refill.Stop() {
		s.refill(c, ahead)
	} else {
		<-refilled
	}
	err = orCause(ctx, err)
	var own *ToolError
	if err != nil && !errors.As(err, &own) {
		err = fmt.Errorf("running %s: %w", c.Call.Tool, err)
	}
	return result, err
}

// orCause returns the end of ctx instead of the error that it led to.
func orCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// keptPolicies is how many policies have a process that is confined in advance: calls of file tools and of command lines take turns.
const keptPolicies = 2

// refillAfter is how long a call must take before spare processes are started while the call runs.
const refillAfter = 20 * time.Millisecond

// Spares keeps processes ready for the next calls: one for each policy that was used last, and one that is not confined yet, for a call that
// follows before the next process is ready. The zero value is ready for use. Several goroutines may use it.
type Spares struct {
	mu sync.Mutex
	// like holds the properties that all processes were started with; see likeness.
	like string
	// ready holds the policies that were used last, the latest first. free is not confined yet; nil if there is none.
	ready  []*ready
	free   *worker
	closed bool
	// filling is true while a goroutine starts spare processes, one after the other. Close waits for starting.
	filling  bool
	starting sync.WaitGroup
}

// ready is a process that is confined in advance.
type ready struct {
	// command holds what the process is started with and its policy, and key identifies the policy.
	command Command
	key     string
	// worker is nil if there is no process yet. found is what the paths of the policy led to when the process was confined.
	worker *worker
	found  []identity
}

// likeness returns the properties that a process is started with, as a key. Everything else is sent to the process.
func likeness(c Command) string {
	return strings.Join(append([]string{c.Executable, c.Dir}, c.Env...), "\x00")
}

// policyKey identifies a policy. A policy that is not opened yet has none, because its paths are followed when a process is confined.
func policyKey(p Policy) string {
	text, err := json.Marshal(p)
	if err != nil || !p.Opened {
		return ""
	}
	return string(text)
}

// takeSpare returns a spare process that fits the command, or nil. It ends the processes that do not fit or that have died.
func (s *Spares) takeSpare(c Command) *worker {
	var useless []*worker
	defer func() {
		for _, p := range useless {
			p.finish()
		}
	}()
	key := policyKey(c.Policy)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.like != likeness(c) {
		useless, s.like = s.all(), likeness(c)
	}
	at := slices.IndexFunc(s.ready, func(r *ready) bool { return r.key == key && slices.Equal(r.command.Policy.files, c.Policy.files) })
	var r *ready
	if at >= 0 {
		r = s.ready[at]
		s.ready = slices.Delete(s.ready, at, at+1)
	} else {
		// The process is for the next call, whoever makes it.
		r = &ready{command: Command{Executable: c.Executable, Dir: c.Dir, Env: c.Env, Policy: c.Policy.With(nil)}, key: key}
	}
	if key != "" {
		s.ready = slices.Insert(s.ready, 0, r)
	}
	for _, old := range s.ready[min(len(s.ready), keptPolicies):] {
		useless = appendAlive(useless, old.worker)
	}
	s.ready = s.ready[:min(len(s.ready), keptPolicies)]
	if p := r.worker; p != nil {
		r.worker = nil
		if !p.ended() && slices.Equal(r.found, c.Policy.identities()) {
			return p
		}
		useless = append(useless, p)
	}
	p := s.free
	s.free = nil
	if p != nil && p.ended() {
		useless = append(useless, p)
		p = nil
	}
	return p
}

// all removes all processes, and returns them. The caller must hold the lock.
func (s *Spares) all() []*worker {
	out := appendAlive(nil, s.free)
	for _, r := range s.ready {
		out = appendAlive(out, r.worker)
	}
	s.ready, s.free = nil, nil
	return out
}

func appendAlive(list []*worker, p *worker) []*worker {
	if p == nil {
		return list
	}
	return append(list, p)
}

// begin returns a process that is confined by the policy of the command.
func (s *Spares) begin(ctx context.Context, c Command) (*worker, error) {
	if p := s.takeSpare(c); p != nil {
		if p.confine(ctx, c.Policy) == nil {
			return p, nil
		}
		p.finish() // a new process reports the error
	}
	p, err := startProcess(c)
	if err != nil {
		return nil, err
	}
	if err := p.confine(ctx, c.Policy); err != nil {
		p.finish()
		return nil, err
	}
	return p, nil
}

// refill starts spare processes in the background, if they are wanted and some are missing.
func (s *Spares) refill(c Command, wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if wanted && s.like == likeness(c) && !s.filling && s.lacks() {
		s.filling = true
		s.starting.Go(s.fill)
	}
}

// lacks reports whether a spare process is missing. The caller must hold the lock.
func (s *Spares) lacks() bool {
	return !s.closed && len(s.ready) > 0 && (s.free == nil || slices.ContainsFunc(s.ready, func(r *ready) bool { return r.worker == nil }))
}

// fill starts spare processes until there are enough. If that fails, the next call reports the error.
func (s *Spares) fill() {
	for {
		s.mu.Lock()
		if !s.lacks() {
			s.filling = false
			s.mu.Unlock()
			return
		}
		i := slices.IndexFunc(s.ready, func(r *ready) bool { return r.worker == nil })
		next := *s.ready[max(i, 0)]
		s.mu.Unlock()
		var err error
		if next.worker, err = startProcess(next.command); err == nil && i >= 0 {
			err = next.confine()
		}
		if !s.add(next, err == nil, i >= 0) {
			return
		}
	}
}

// add keeps a process if it is still wanted, and ends it otherwise. It reports whether more may be started.
func (s *Spares) add(made ready, ok, confined bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.ready, func(r *ready) bool { return r.key == made.key && r.worker == nil })
	switch {
	case ok && !s.closed && s.like == likeness(made.command) && confined && at >= 0:
		s.ready[at].worker, s.ready[at].found = made.worker, made.found
		return true
	case ok && !s.closed && s.like == likeness(made.command) && !confined && s.free == nil:
		s.free = made.worker
		return true
	default:
		s.filling = false
		if made.worker != nil {
			s.starting.Go(func() { made.worker.finish() })
		}
		return false
	}
}

// errMoving means that the paths of a policy changed while a process was confined.
var errMoving = errors.New("the files that the policy names are changing")

// confine confines the process, and records what the paths of the policy led to before and after that. A call that runs at the same time may
// have changed them in between; then nobody knows what the process saw. Confining creates missing directories, so it is tried twice.
func (r *ready) confine() error {
	policy := r.command.Policy
	for try := range 2 {
		if try > 0 {
			r.worker.finish()
			var err error
			if r.worker, err = startProcess(r.command); err != nil {
				return err
			}
		}
		r.found = policy.identities()
		if err := r.worker.confine(context.Background(), policy); err != nil {
			return err
		}
		if slices.Equal(r.found, policy.identities()) {
			return nil
		}
	}
	return errMoving
}

// Close ends the spare processes. No process is started after that.
func (s *Spares) Close() {
	s.mu.Lock()
	spares := s.all()
	s.closed = true
	s.mu.Unlock()
	for _, p := range spares {
		p.finish()
	}
	s.starting.Wait()
}

// ended reports whether the process has ended.
func (p *worker) ended() bool {
	select {
	case <-p.Exited():
		return true
	default:
		return false
	}
}

// identities identifies what the paths of an opened policy lead to. Two processes that are confined while it is the same are confined alike. A
// process that is confined keeps the files, so that no other file gets the identity of one of them.
func (p Policy) identities() []identity {
	paths := slices.Concat(p.ReadWrite, p.ReadOnly, p.Own, p.Protected, p.Hidden, p.Inner, p.Shown, []string{p.Workdir, p.Program})
	for _, path := range p.Protected {
		// Whether a missing path can be created depends on its parent.
		paths = append(paths, filepath.Dir(path))
	}
	for _, c := range p.Covers {
		paths = append(paths, c.Path, c.From)
	}
	out := make([]identity, len(paths))
	for i, path := range paths {
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) == nil {
			out[i] = identity{device: uint64(stat.Dev), inode: stat.Ino} //nolint:unconvert // its type differs between architectures
		}
	}
	return out
}
