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
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
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

// Run runs a call to its end. When it returns, the child is gone with all it started; where the system allows no process
// namespace, a program that left the child's group on purpose may live on. The error is a ToolError if the tool returned one.
func Run(ctx context.Context, c Command) (Result, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("running %s: %w", c.Call.Tool, err)
	}
	p, err := startProcess(c)
	if err != nil {
		return Result{}, fmt.Errorf("starting a process for %s: %w", c.Call.Tool, err)
	}
	stop := context.AfterFunc(ctx, p.kill)
	result, err := p.read(c.Progress)
	stop()
	p.finish()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	var own *ToolError
	if err != nil && !errors.As(err, &own) {
		err = fmt.Errorf("running %s: %w", c.Call.Tool, err)
	}
	return result, err
}

// process is a running child. Whoever starts it calls finish.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	answer *os.File
	stderr firstWords
	exited chan struct{}
}

func startProcess(c Command) (*process, error) {
	inR, inW, err1 := os.Pipe()
	outR, outW, err2 := os.Pipe()
	p := &process{stdin: inW, answer: outR, exited: make(chan struct{})}
	theirs := []*os.File{inR, outW}
	err := errors.Join(err1, err2)
	var in Isolation
	if err == nil {
		in, err = p.fork(c, inR, outW)
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
	if err := json.NewEncoder(p.stdin).Encode(request{Call: c.Call, Policy: c.Policy, Isolation: in}); err != nil {
		p.finish()
		return nil, fmt.Errorf("sending the call: %w", err)
	}
	return p, nil
}

// fork starts the child in namespaces of its own or, where there are none to be had, in a session.
func (p *process) fork(c Command, stdin, answer *os.File) (Isolation, error) {
	var in Isolation
	try := func(isolate bool) error {
		attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
		in = Isolation{}
		if isolate {
			in = Isolate(attr)
		}
		p.cmd = exec.Command(c.Executable, Argument)
		p.cmd.Dir, p.cmd.Env = c.Dir, append([]string{}, c.Env...)
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
			if err = try(false); err == nil {
				isolationForbidden.Store(true)
			}
		}
		done <- err
	})
	err := <-done
	return in, err
}

// kill ends the child. In a process namespace all it started ends with it, else its group.
func (p *process) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Process.Kill()
}

// finish leaves nothing of the child.
func (p *process) finish() {
	p.kill()
	<-p.exited
	_ = p.stdin.Close()
	_ = p.answer.Close()
}

// read takes frames until the last one.
func (p *process) read(progress func([]byte)) (Result, error) {
	var r Result
	for in := json.NewDecoder(p.answer); ; {
		var f frame
		if err := in.Decode(&f); err != nil {
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
func (p *process) lost(err error) error {
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
