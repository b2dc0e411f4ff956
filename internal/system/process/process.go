// Package process starts, watches and ends processes. Every process of aura is started here, so that all of them have the same
// guarantees: a process inherits nothing, no process outlives aura, and no descendant of a process outlives the process.
package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// drainTime is how long the output of a process is read after the process and its descendants were killed. Their output is
// already in the pipe by then; only a descendant that was not found can keep the pipe open.
const drainTime = 100 * time.Millisecond

// firstFile is the number of the first descriptor after the three standard ones.
const firstFile = 3

// Spec describes a process. The process inherits only what is named here.
type Spec struct {
	// Path is the program. On Linux it can be /proc/self/fd/N, which names a descriptor of the caller; the process gets the
	// program as one more descriptor after Files, and must close it.
	Path string
	// Args begins with the name of the program.
	Args []string
	// Dir is the working directory; empty means the caller's.
	Dir string
	// Env is the whole environment, as name=value. A nil Env is an empty environment.
	Env []string
	// Stdin is the input of the process; nil means no input. The process reads directly from an *os.File. The data of any other
	// reader is copied to a pipe.
	Stdin io.Reader
	// Stdout and Stderr receive the output of the process; nil discards it. The process writes directly to an *os.File. For any
	// other writer, the output is copied from a pipe. If both are the same writer, the process writes both to one pipe.
	Stdout, Stderr io.Writer
	// Files are passed as the descriptors from 3 on, after the lifeline. Windows passes none.
	Files []*os.File
	// ReadEnds are the caller's ends of pipes. A read from one of them ends soon after the process ends, even if another
	// process still holds the other end.
	ReadEnds []*os.File
	// Linger is how long the descendants of the process may still write after the process has exited. Then they are killed.
	Linger time.Duration

	// Outlive lets the process and what it starts live on when aura ends, and never kills them: it is for a program that is the user's from
	// then on, such as a browser. Nobody needs to wait for it.
	Outlive bool
	// SameGroup keeps the process in the caller's process group. Another process is responsible for ending that group.
	SameGroup bool
	// Terminal makes Stdin, a terminal, the controlling terminal of the process, which must end what it started when aura is gone.
	Terminal bool
	// Isolation is the highest level that is tried. If the system forbids it, the process gets a lower level.
	Isolation Isolation
	// Weaker is called before the process is started with less isolation than requested; nil does nothing.
	Weaker func()
	// Lifeline passes the process a pipe as descriptor 3. The other end of the pipe closes when aura ends. Windows uses job objects
	// instead.
	Lifeline bool
	// Guard starts a watcher beside the process, which kills the process group when aura is gone. The watcher learns the group
	// right after the process starts. If aura is killed before that, the watcher can miss what the process started.
	Guard bool
	// Reaper promises that the process calls AdoptOrphans, and that it ends its descendants when aura is gone.
	Reaper bool
	// Orderly promises that the process ends its descendants before it exits. They are then searched only if the process dies
	// by a signal.
	Orderly bool
	// Mark is the name of a variable by which descendants that left the group are found; see KillMarked. It is not set in a
	// process namespace, which does not need it.
	Mark string
	// quiet is closed when the descendants need not linger any more; nil means when all output has been read.
	quiet <-chan struct{}
	// Around is called with the function that starts the process, and must call it; nil calls the function directly.
	Around func(start func() error) error
}

// Process is a started process. It releases all its resources once it has exited. The caller of Start must make sure that it
// exits, by Kill or Stop.
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
	// reaped is true if the process number may belong to another process by now.
	reaped bool
	once   sync.Once
}

// Start starts a process. After an error, nothing is left open or running.
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

// abandon ends what was started of a process whose start failed, and returns err.
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

// guarded starts the watcher first, and then the process.
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

// launch starts the process with the highest isolation that the system allows. It remembers a level as forbidden only once the
// process has started with a lower level: before that, the program may have caused the failure.
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

// try starts the process with the given isolation.
func (p *Process) try(level Isolation) error {
	s := p.spec
	env := append([]string{}, s.Env...)
	p.isolation, p.mark = level, ""
	if s.Mark != "" && level == SharedNamespaces {
		p.mark = NewMark(s.Mark)
		env = append(env, p.mark)
	}
	cmd := &exec.Cmd{Path: s.Path, Args: s.Args, Dir: s.Dir, Env: env, ExtraFiles: p.streams.files}
	program, err := programFile(s.Path)
	if err != nil {
		return err
	}
	if program != nil {
		defer func() { _ = program.Close() }()
		cmd.ExtraFiles = append(slices.Clip(cmd.ExtraFiles), program)
		cmd.Path = programPath(firstFile + len(cmd.ExtraFiles) - 1)
	}
	p.streams.attach(cmd)
	g, err := startGroup(cmd, attributes(s, level), s)
	if err == nil {
		p.cmd, p.group = cmd, g
	}
	return err
}

// watch reaps the process and ends everything that is left of it. If the system can report the end of a process without reaping
// it, the group is killed while the dead process still holds its number. The number then cannot belong to another group.
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

// linger waits until no process writes output any more, or until spec.quiet is closed, for at most spec.Linger.
func (p *Process) linger() {
	if p.spec.Linger == 0 {
		return
	}
	quiet := p.spec.quiet
	if quiet == nil {
		quiet = p.streams.drained
	}
	timer := time.NewTimer(p.spec.Linger)
	defer timer.Stop()
	select {
	case <-quiet:
	case <-p.killed:
	case <-timer.C:
	}
}

// Pid returns the process number.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Isolation returns the level that the system allowed.
func (p *Process) Isolation() Isolation { return p.isolation }

// Exited returns a channel that is closed when the process and its descendants are gone and their output has been read.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Wait waits for Exited and returns how the process ended: nil, or an *exec.ExitError.
func (p *Process) Wait() error {
	<-p.exited
	return p.exit
}

// State returns how the process ended. It returns nil before Exited.
func (p *Process) State() *os.ProcessState {
	select {
	case <-p.exited:
		return p.cmd.ProcessState
	default:
		return nil
	}
}

// Kill kills the process and its descendants. It does not wait for their end.
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

// Terminate asks every process of the group to end. It does nothing on Windows, which has no such request.
func (p *Process) Terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.group.terminate()
	}
}

// Stop asks the process to end with one request after the other, and waits for a grace period after each request. Then it kills
// the process. The process is gone when Stop returns.
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

// ExitedWithin waits until the process exits, but no longer than d, and reports whether it exited.
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

// ExitCode returns the exit status of a process from the error of Wait. It returns false for a process that did not exit by
// itself.
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
