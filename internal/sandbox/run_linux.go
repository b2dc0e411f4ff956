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

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/process"
)

// answerFD is the descriptor that the child writes its frames to.
const answerFD = 3

// maxStderr is how much of the child's standard error is kept, in bytes. The beginning is kept, because the first words of a
// crash give its cause.
const maxStderr = 4 << 10

// processName is the name of a confined child in lists of processes. The child needs a name because it is started from a
// descriptor.
const processName = "aura"

// Run runs a call to its end. When Run returns, the child and all its descendants are gone. The error is a ToolError if the
// tool returned one.
func Run(ctx context.Context, c Command) (Result, error) { return new(Spares).run(ctx, c, false) }

// Run does what the function Run does, but uses a process that was started in advance, if there is one for such a command. It
// also starts the next process in advance, so that only the first call waits for a program to start. The caller must call
// Close.
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
	// During a short call no other process competes for the processors. During a long call the next process can be started.
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

// keptSpares is how many processes are kept ready: one for the next call, and one for a call that follows before a new process
// is ready.
const keptSpares = 2

// refillAfter is how long a call must take before spare processes are started while the call runs.
const refillAfter = 20 * time.Millisecond

// Spares keeps processes ready for the next calls. The zero value is ready for use. Several goroutines may use it.
type Spares struct {
	mu sync.Mutex
	// ready holds processes that were started with the same properties, the oldest first; like holds these properties.
	ready  []*worker
	like   string
	closed bool
	// filling is true while a goroutine starts spare processes, one after the other. Close waits for starting.
	filling  bool
	starting sync.WaitGroup
}

// likeness returns the properties that a process is started with, as a key. Everything else is sent to the process with the
// call.
func likeness(c Command) string {
	return strings.Join(append([]string{c.Executable, c.Dir}, c.Env...), "\x00")
}

// take returns a spare process that fits the command, or nil. It ends the processes that do not fit or that have died.
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

// begin sends the call to a spare process, or to a new one.
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
	err = p.send(c)
	if err == nil {
		return p, nil
	}
	defer p.finish()
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return nil, p.died()
	}
	return nil, fmt.Errorf("sending the call: %w", err)
}

// refill starts spare processes in the background, if they are wanted and some are missing.
func (s *Spares) refill(c Command, wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if wanted && s.lacks(c) && !s.filling {
		s.filling = true
		s.starting.Go(func() { s.fill(c) })
	}
}

// lacks reports whether a spare process for such a command is missing. The caller must hold the lock.
func (s *Spares) lacks(c Command) bool {
	return !s.closed && s.like == likeness(c) && len(s.ready) < keptSpares
}

// fill starts spare processes until there are enough. If starting fails, the next call reports the error.
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

// Close ends the spare processes. No process is started after that.
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

// worker is a running child. The caller that starts it must call finish.
type worker struct {
	*process.Process
	stdin  *os.File
	answer *os.File
	stderr process.Head
}

// startProcess starts a child in its own namespaces or, where the system forbids namespaces, in its own session. The child's
// standard input is also its lifeline. It is a socket, because descriptors come with the call.
func startProcess(c Command) (*worker, error) {
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p, err := startWorker(c, outW, outR)
	_ = outW.Close()
	if err != nil {
		_ = outR.Close()
		return nil, err
	}
	p.answer = outR
	return p, nil
}

// startWorker starts a child that writes to answers. readEnds are the files that aura reads what the child writes from.
func startWorker(c Command, answers *os.File, readEnds ...*os.File) (*worker, error) {
	inR, inW, err := socketPair()
	p := &worker{stdin: inW, stderr: process.Head{Max: maxStderr}}
	if err == nil {
		p.Process, err = process.Start(process.Spec{
			Path: c.Executable, Args: []string{processName, Argument}, Dir: c.Dir, Env: c.Env,
			Stdin: inR, Stderr: &p.stderr, Files: []*os.File{answers}, ReadEnds: readEnds,
			Isolation: process.OwnMounts, Weaker: KeepPrograms, Reaper: true, Mark: markName,
		})
	}
	_ = inR.Close()
	if err != nil {
		_ = inW.Close()
		return nil, err
	}
	return p, nil
}

// send sends the call to the process, after the files that its policy grants.
func (p *worker) send(c Command) error {
	level := p.Isolation()
	in := Isolation{Processes: level >= process.OwnProcesses, Mounts: level >= process.OwnMounts}
	if err := sendFiles(p.stdin, c.Policy.Files()); err != nil {
		return fmt.Errorf("passing the granted files: %w", err)
	}
	return json.NewEncoder(p.stdin).Encode(request{Call: c.Call, Policy: c.Policy, Isolation: in})
}

// finish kills the child, waits for its end and closes its pipes.
func (p *worker) finish() {
	p.Kill()
	<-p.Exited()
	_ = p.stdin.Close()
	_ = p.answer.Close()
}

// read reads frames until the last one.
func (p *worker) read(progress func([]byte)) (Result, error) {
	var r Result
	for in := newFrames(process.Leftover(p.answer)); ; {
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

// lost returns the error for a child that ended without an answer.
func (p *worker) lost(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return p.died()
}

// died waits for the end of the child and returns how it ended, with what it printed.
func (p *worker) died() error {
	p.Kill()
	<-p.Exited()
	printed, _ := p.stderr.Kept()
	if last := bytes.TrimSpace(printed); len(last) > 0 {
		return fmt.Errorf("its process died (%s): %s", p.State(), last)
	}
	return fmt.Errorf("its process died (%s)", p.State())
}
