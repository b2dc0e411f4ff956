// Package process starts, watches and ends processes. Every process of aura is started here, so that all of them have the same
// guarantees: nothing is inherited, nothing outlives aura, and nothing that a process started outlives the process.
package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// drainTime is how long the output of a process is read after the process and its descendants were killed. What they wrote is in
// the pipe already; only a descendant that was not found can hold the pipe open.
const drainTime = 100 * time.Millisecond

// Spec describes a process. The process inherits nothing but what is named here.
type Spec struct {
	Path string
	// Args begins with the name of the program.
	Args []string
	// Dir is the working directory; empty means that of the caller.
	Dir string
	// Env is the whole environment, as name=value. A nil Env is an empty environment.
	Env []string
	// Stdin is what the process reads; nil is empty. The process reads from a file itself, anything else is copied to it.
	Stdin io.Reader
	// Stdout and Stderr take what the process writes; nil drops it. The process writes to a file itself, anything else is copied
	// from a pipe. If both are the same, the process writes both to one pipe.
	Stdout, Stderr io.Writer
	// Files are the descriptors from 3 on. Windows passes none.
	Files []*os.File
	// ReadEnds are the caller's ends of pipes. A read from one ends soon after the process, whoever still holds the other end.
	ReadEnds []*os.File
	// Linger is how long the process's descendants may still write after the process has exited. They are killed after that.
	Linger time.Duration

	// SameGroup leaves the process in the caller's process group, which somebody else ends.
	SameGroup bool
	// Isolation is the most that the process has for itself. Where the system forbids it, the process gets less.
	Isolation Isolation
	// Weaker is called before the process is started with less isolation than asked for; nil does nothing.
	Weaker func()
	// Lifeline passes the process a pipe after Files, whose other end closes with aura. Windows has job objects instead.
	Lifeline bool
	// Guard starts a watcher beside the process, which kills the process group when aura is gone. It begins right after the process, so
	// that what the process starts in its first moment can be missed if aura is killed in that moment.
	Guard bool
	// Reaper promises that the process calls AdoptOrphans, and that it ends its descendants when aura is gone.
	Reaper bool
	// Orderly promises that the process ends its descendants before it exits. They are then looked for only if it dies by a signal.
	Orderly bool
	// Mark is the name of a variable by which descendants are found that left the group; see KillMarked. A process with a process
	// namespace needs none and gets none.
	Mark string
	// Around runs the function that it is given, which starts the process; nil just runs it.
	Around func(start func() error) error
}

// Process is a process that was started. It releases everything itself once it has exited; whoever starts it makes sure that it
// does, by Kill or Stop.
type Process struct {
	spec      Spec
	cmd       *exec.Cmd
	group     *group
	isolation Isolation
	mark      string
	streams   streams
	watcher   *watcher

	// exited is closed when the process and its descendants are gone and all of their output has been read. exit is valid then.
	exited chan struct{}
	exit   error
	killed chan struct{}

	mu sync.Mutex
	// reaped means that the process number may belong to another process by now.
	reaped bool
	once   sync.Once
}

// Start starts a process. After an error nothing is left open or running.
func Start(s Spec) (*Process, error) {
	p := &Process{spec: s, exited: make(chan struct{}), killed: make(chan struct{})}
	err := p.streams.open(s)
	if err == nil {
		start := func() error { return Fork(p.guarded) }
		if s.Around == nil {
			err = start()
		} else {
			err = s.Around(start)
		}
	}
	p.streams.theirs.close()
	if err != nil {
		p.streams.ours.close()
		return nil, p.abandon(err)
	}
	p.streams.run(s.Stdin)
	go p.watch()
	return p, nil
}

// abandon ends what was started of a process that could not be started as asked.
func (p *Process) abandon(err error) error {
	defer p.watcher.end()
	if p.group == nil {
		return err
	}
	p.group.kill()
	_ = p.cmd.Wait()
	p.group.close()
	return err
}

// guarded starts the process after its watcher.
func (p *Process) guarded() (err error) {
	if p.spec.Guard {
		if p.watcher, err = startWatcher(); err != nil {
			return err
		}
	}
	if err = p.launch(); err == nil {
		p.watcher.watch(p.Pid())
	}
	return err
}

// launch starts the process with as much isolation as the system allows. What it forbids is not tried again, once the process could
// be started without: the failure may have been the program's.
func (p *Process) launch() error {
	var refused []Isolation
	for level := min(p.spec.Isolation, mostIsolation); ; level-- {
		if level > SharedNamespaces && forbidden[level].Load() {
			continue
		}
		if level < p.spec.Isolation && p.spec.Weaker != nil {
			p.spec.Weaker()
		}
		err := p.try(level)
		switch {
		case err == nil:
			for _, r := range refused {
				forbidden[r].Store(true)
			}
			return nil
		case level == SharedNamespaces || !namespacesForbidden(err):
			return err
		}
		refused = append(refused, level)
	}
}

// try starts the process with this isolation.
func (p *Process) try(level Isolation) error {
	s := p.spec
	env := append([]string{}, s.Env...)
	p.isolation, p.mark = level, ""
	if s.Mark != "" && level == SharedNamespaces {
		p.mark = NewMark(s.Mark)
		env = append(env, p.mark)
	}
	cmd := &exec.Cmd{Path: s.Path, Args: s.Args, Dir: s.Dir, Env: env, ExtraFiles: p.streams.files}
	p.streams.attach(cmd)
	g, err := startGroup(cmd, attributes(s, level), s.SameGroup)
	if err == nil {
		p.cmd, p.group = cmd, g
	}
	return err
}

// watch reaps the process and leaves nothing of it. Where the system can report an end without reaping, the group is killed while the
// dead process still holds its number, which therefore cannot be the number of another group.
func (p *Process) watch() {
	waited := !awaitEnd(p.cmd.Process.Pid)
	if waited {
		p.exit = p.cmd.Wait()
	}
	p.linger()
	p.mu.Lock()
	p.group.kill()
	p.watcher.end()
	if !waited {
		p.exit = p.cmd.Wait()
	}
	p.reaped = true
	p.mu.Unlock()
	p.group.close()
	if p.mark != "" && !p.cleanedUp() {
		KillMarked(p.mark)
	}
	p.streams.end(p.spec.ReadEnds)
	close(p.exited)
}

// cleanedUp reports whether the process has ended its descendants itself.
func (p *Process) cleanedUp() bool {
	state := p.cmd.ProcessState
	return p.spec.Orderly && state != nil && state.Exited()
}

// linger waits until nobody writes output any more, for as long as the specification allows.
func (p *Process) linger() {
	if p.spec.Linger == 0 {
		return
	}
	timer := time.NewTimer(p.spec.Linger)
	defer timer.Stop()
	select {
	case <-p.streams.drained:
	case <-p.killed:
	case <-timer.C:
	}
}

// Pid is the process number.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Isolation is what the system allowed the process.
func (p *Process) Isolation() Isolation { return p.isolation }

// Exited is closed when the process and its descendants are gone and their output has been read.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Wait waits for Exited and returns how the process ended: nil, or an *exec.ExitError.
func (p *Process) Wait() error {
	<-p.exited
	return p.exit
}

// State is how the process ended. It is nil until Exited.
func (p *Process) State() *os.ProcessState {
	select {
	case <-p.exited:
		return p.cmd.ProcessState
	default:
		return nil
	}
}

// Kill kills the process with its descendants. It does not wait for their end.
func (p *Process) Kill() {
	p.once.Do(func() { close(p.killed) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return
	}
	if p.isolation == SharedNamespaces && !p.spec.SameGroup {
		p.group.freeze()
		KillDescendants(p.Pid())
	}
	p.group.kill()
}

// Terminate asks every process of the group to end. Windows has no such request.
func (p *Process) Terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.group.terminate()
	}
}

// Stop asks the process to end, by one request after the other, and waits for a grace period after each. Then it kills the process.
// The process is gone when Stop returns.
func (p *Process) Stop(grace time.Duration, requests ...func()) {
	for _, request := range requests {
		request()
		if p.ExitedWithin(grace) {
			return
		}
	}
	p.Kill()
	<-p.exited
}

// ExitedWithin waits for the process to exit, for a time, and reports whether it did.
func (p *Process) ExitedWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// ExitCode is the status by which a process exited, from the error of Wait. It is false for a process that did not exit by itself.
func ExitCode(err error) (int, bool) {
	if err == nil {
		return 0, true
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || !exit.Exited() {
		return -1, false
	}
	return exit.ExitCode(), true
}
