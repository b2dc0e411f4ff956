package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/process"
)

// answerFD is where the child writes its frames.
const answerFD = 3

// maxStderr is how much of what a dying child prints is kept, in bytes: the first words of a crash say why.
const maxStderr = 4 << 10

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
	stop := context.AfterFunc(ctx, p.Kill)
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
		case <-p.Exited():
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
	*process.Process
	stdin  *os.File
	answer *os.File
	stderr process.Head
}

// startProcess starts a child in namespaces of its own or, where there are none to be had, in a session. Its standard input is also its
// lifeline.
func startProcess(c Command) (*worker, error) {
	inR, inW, err1 := os.Pipe()
	outR, outW, err2 := os.Pipe()
	p := &worker{stdin: inW, answer: outR, stderr: process.Head{Max: maxStderr}}
	err := errors.Join(err1, err2)
	if err == nil {
		p.Process, err = process.Start(process.Spec{
			Path: c.Executable, Args: []string{processName, Argument}, Dir: c.Dir, Env: c.Env,
			Stdin: inR, Stderr: &p.stderr, Files: []*os.File{outW}, ReadEnds: []*os.File{outR},
			Isolation: process.OwnMounts, Weaker: KeepPrograms, Reaper: true, Mark: markName,
		})
	}
	_, _ = inR.Close(), outW.Close()
	if err != nil {
		_, _ = inW.Close(), outR.Close()
		return nil, err
	}
	return p, nil
}

// send hands the process its call.
func (p *worker) send(c Command) error {
	level := p.Isolation()
	in := Isolation{Processes: level >= process.OwnProcesses, Mounts: level >= process.OwnMounts}
	return json.NewEncoder(p.stdin).Encode(request{Call: c.Call, Policy: c.Policy, Isolation: in})
}

// finish leaves nothing of the child.
func (p *worker) finish() {
	p.Kill()
	<-p.Exited()
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
	p.Kill()
	<-p.Exited()
	printed, _ := p.stderr.Kept()
	if last := bytes.TrimSpace(printed); len(last) > 0 {
		return fmt.Errorf("its process died (%s): %s", p.State(), last)
	}
	return fmt.Errorf("its process died (%s)", p.State())
}
