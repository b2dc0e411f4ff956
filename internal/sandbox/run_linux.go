package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/idelchi/aura/internal/process"
)

// answerFD is where the child writes its frames.
const answerFD = 3

// maxStderr is how much of a dying child's last words is kept, in bytes.
const maxStderr = 4 << 10

// drainTime is how long after the child's end its frames are still read. What it wrote is there at once; only a process that
// outlived it could keep the pipe open.
const drainTime = 100 * time.Millisecond

// Fork runs f on the one thread that starts processes. The signal by which the kernel ends a child when its parent is gone
// follows the thread that forked it, so this one lives as long as the program.
func Fork(f func()) { forker() <- f }

var forker = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// isolationForbidden is set when the system turns out to allow no namespaces.
var isolationForbidden atomic.Bool

// processName is what lists of processes show of a confined child, which is started from a descriptor.
const processName = "aura"

// Run runs a call to its end. When it returns, the child is gone with all it started. The error is a ToolError if the tool returned one.
func Run(ctx context.Context, c Command) (Result, error) { return new(Spares).run(ctx, c, false) }

// Run is like the function Run, with a process that was started in advance if there is one for such a command. It has the next
// one started, so that no call but the first waits for a program to begin. Whoever uses it calls Close.
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
	p, err := s.begin(c)
	if err != nil {
		return Result{}, fmt.Errorf("starting a process for %s: %w", c.Call.Tool, err)
	}
	// A short call has the processors to itself; while a long one runs, the next process can start.
	refill := time.AfterFunc(refillAfter, func() { s.refill(c, ahead) })
	stop := context.AfterFunc(ctx, p.kill)
	result, err := p.read(c.Progress)
	stop()
	p.finish()
	if refill.Stop() {
		s.refill(c, ahead)
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	var own *ToolError
	if err != nil && !errors.As(err, &own) {
		err = fmt.Errorf("running %s: %w", c.Call.Tool, err)
	}
	return result, err
}

// keptSpares is how many processes are kept ready: one for the next call, and one for a call that follows before another is.
const keptSpares = 2

// refillAfter is how long a call must take for spares to be started while it runs.
const refillAfter = 20 * time.Millisecond

// Spares keeps processes ready for the next calls. The zero value is ready for use, from several goroutines.
type Spares struct {
	mu sync.Mutex
	// ready are processes that were started alike, the oldest first.
	ready  []*worker
	like   string
	closed bool
	// filling is true while spares are being started, one after the other; starting waits for that.
	filling  bool
	starting sync.WaitGroup
}

// likeness is what a process is started with. Everything else reaches it with the call.
func likeness(c Command) string {
	return strings.Join(append([]string{c.Executable, c.Dir}, c.Env...), "\x00")
}

// take hands out a spare, if there is one that fits. Those that do not, and those that died, are ended.
func (s *Spares) take(c Command) *worker {
	var useless []*worker
	defer func() {
		for _, p := range useless {
			p.finish()
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.like != likeness(c) {
		useless, s.ready, s.like = s.ready, nil, likeness(c)
	}
	for len(s.ready) > 0 {
		p := s.ready[0]
		s.ready = s.ready[1:]
		select {
		case <-p.exited:
			useless = append(useless, p)
		default:
			return p
		}
	}
	return nil
}

// begin hands the call to a spare, or to a new process.
func (s *Spares) begin(c Command) (*worker, error) {
	if p := s.take(c); p != nil {
		if p.send(c) == nil {
			return p, nil
		}
		p.finish()
	}
	p, err := startProcess(c)
	if err != nil {
		return nil, err
	}
	if err := p.send(c); err != nil {
		p.finish()
		return nil, fmt.Errorf("sending the call: %w", err)
	}
	return p, nil
}

// refill has spares started, if they are wanted at all.
func (s *Spares) refill(c Command, wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if wanted && s.lacks(c) && !s.filling {
		s.filling = true
		s.starting.Go(func() { s.fill(c) })
	}
}

// lacks reports whether a spare for such a command is missing. The caller holds the lock.
func (s *Spares) lacks(c Command) bool {
	return !s.closed && s.like == likeness(c) && len(s.ready) < keptSpares
}

// fill starts spares until there are enough. If that fails, the next call will say why.
func (s *Spares) fill(c Command) {
	for more := true; more; {
		p, err := startProcess(c)
		s.mu.Lock()
		use := err == nil && s.lacks(c)
		if use {
			s.ready = append(s.ready, p)
		}
		more = use && s.lacks(c)
		s.filling = more
		s.mu.Unlock()
		if err == nil && !use {
			p.finish()
		}
	}
}

// Close ends the spares. Nothing is started any more.
func (s *Spares) Close() {
	s.mu.Lock()
	spares := s.ready
	s.ready, s.closed = nil, true
	s.mu.Unlock()
	for _, p := range spares {
		p.finish()
	}
	s.starting.Wait()
}

// worker is a running child. Whoever starts it calls finish.
type worker struct {
	cmd    *exec.Cmd
	stdin  *os.File
	answer *os.File
	stderr firstWords
	exited chan struct{}
	// mark is in the environment of all that the process starts, if it has no process namespace.
	mark string
	// called is set once the process has a call, and may have started others.
	called bool
	// in is what the process was started in.
	in Isolation
}

func startProcess(c Command) (*worker, error) {
	inR, inW, err1 := os.Pipe()
	outR, outW, err2 := os.Pipe()
	p := &worker{stdin: inW, answer: outR, exited: make(chan struct{})}
	theirs := []*os.File{inR, outW}
	err := errors.Join(err1, err2)
	if err == nil {
		p.in, err = p.fork(c, inR, outW)
	}
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		return nil, errors.Join(err, inW.Close(), outR.Close())
	}
	go func() {
		// How it ended shows in what it answered.
		_ = p.cmd.Wait()
		_ = p.answer.SetReadDeadline(time.Now().Add(drainTime))
		close(p.exited)
	}()
	return p, nil
}

// send hands the process its call.
func (p *worker) send(c Command) error {
	p.called = true
	return json.NewEncoder(p.stdin).Encode(request{Call: c.Call, Policy: c.Policy, Isolation: p.in})
}

// fork starts the child in namespaces of its own or, where there are none to be had, in a session.
func (p *worker) fork(c Command, stdin, answer *os.File) (Isolation, error) {
	var in Isolation
	try := func(isolate bool) error {
		// Without a namespace the child itself must end its descendants when this process is gone, so it is not killed then but
		// woken, should it be stopped, to find its standard input closed.
		attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT}
		in, p.mark = Isolation{}, process.NewMark(markName)
		env := append(slices.Clone(c.Env), p.mark)
		if isolate {
			attr.Pdeathsig = syscall.SIGKILL
			in, p.mark, env = Isolate(attr), "", append([]string{}, c.Env...)
		}
		p.cmd = exec.Command(c.Executable, Argument)
		p.cmd.Args[0] = processName
		p.cmd.Dir, p.cmd.Env = c.Dir, env
		p.cmd.Stdin, p.cmd.Stderr, p.cmd.ExtraFiles = stdin, &p.stderr, []*os.File{answer}
		p.cmd.WaitDelay = drainTime
		p.cmd.SysProcAttr = attr
		return p.cmd.Start()
	}
	done := make(chan error)
	Fork(func() {
		isolate := !isolationForbidden.Load()
		err := try(isolate)
		if isolate && err != nil && Forbidden(err) {
			KeepPrograms()
			if err = try(false); err == nil {
				isolationForbidden.Store(true)
			}
		}
		done <- err
	})
	err := <-done
	return in, err
}

// kill ends the child. In a process namespace all it started ends with it, else its descendants are looked for.
func (p *worker) kill() {
	if !p.in.Processes && p.called && !p.gone() {
		process.KillTree(p.cmd.Process.Pid)
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Process.Kill()
}

func (p *worker) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// finish leaves nothing of the child.
func (p *worker) finish() {
	p.kill()
	<-p.exited
	// A child that was killed by what it started could not end that.
	if p.mark != "" && p.called {
		process.KillMarked(p.mark)
	}
	_ = p.stdin.Close()
	_ = p.answer.Close()
}

// read takes frames until the last one.
func (p *worker) read(progress func([]byte)) (Result, error) {
	var r Result
	for in := newFrames(p.answer); ; {
		var f frame
		if err := in.next(&f); err != nil {
			return r, p.lost(err)
		}
		if f.Report != nil {
			r.Report = *f.Report
		}
		if len(f.Progress) > 0 && progress != nil {
			progress(f.Progress)
		}
		switch {
		case !f.last():
		case f.Fault != "":
			return r, errors.New(f.Fault)
		case f.Error != nil:
			return r, &ToolError{Message: *f.Error}
		default:
			r.Value = f.Value
			return r, nil
		}
	}
}

// lost explains a child that ended without an answer.
func (p *worker) lost(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("reading the answer: %w", err)
	}
	p.kill()
	<-p.exited
	if last := strings.TrimSpace(p.stderr.String()); last != "" {
		return fmt.Errorf("its process died (%s): %s", p.cmd.ProcessState, last)
	}
	return fmt.Errorf("its process died (%s)", p.cmd.ProcessState)
}

// firstWords keeps the first bytes of what is written to it: the first words of a crash say why.
type firstWords struct {
	mu   sync.Mutex
	kept []byte
}

func (t *firstWords) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[:min(len(b), maxStderr-len(t.kept))]...)
	return len(b), nil
}

func (t *firstWords) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
