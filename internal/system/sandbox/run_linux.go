package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
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

// worker is a running child. The caller that starts it must call finish.
type worker struct {
	*process.Process
	stdin  *os.File
	answer *os.File
	frames frames
	stderr process.Head
	// visit is its way to the network; nil if it has none, or if every host can be reached.
	visit *Visit
	// report says how the process is confined; nil if it is not confined yet.
	report *Report
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
	p.answer, p.frames = outR, newFrames(process.Leftover(outR))
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

// confine sends the policy to the process, with the files that the policy grants, and waits until the process is confined. A process that is
// confined already stays as it is.
func (p *worker) confine(ctx context.Context, policy Policy) error {
	if p.report != nil {
		return nil
	}
	policy, visit, err := policy.Connect()
	if err != nil {
		return err
	}
	p.visit = visit
	defer p.visit.Sent()
	defer context.AfterFunc(ctx, p.Kill)()
	if err := p.send(order{Policy: policy, Isolation: p.isolation()}, policy.Files()); err != nil {
		return err
	}
	var f frame
	if err := p.frames.next(&f); err != nil {
		return p.lost(err)
	}
	if f.Report == nil {
		return errors.New(cmp.Or(f.Fault, "its process did not say how it is confined"))
	}
	p.report = f.Report
	return nil
}

func (p *worker) isolation() Isolation {
	level := p.Isolation()
	return Isolation{Processes: level >= process.OwnProcesses, Mounts: level >= process.OwnMounts}
}

// send sends a message to the process, after files.
func (p *worker) send(o order, files []*os.File) error {
	if err := sendFiles(p.stdin, files); err != nil {
		return p.unsent(fmt.Errorf("passing the granted files: %w", err))
	}
	return p.unsent(json.NewEncoder(p.stdin).Encode(o))
}

// unsent returns the error of sending to a process, which may have died.
func (p *worker) unsent(err error) error {
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return p.died()
	}
	return err
}

// finish kills the child, waits for its end and closes its pipes. All its traffic is reported then.
func (p *worker) finish() {
	p.Kill()
	<-p.Exited()
	defer func() { p.visit = nil }()
	_ = p.stdin.Close()
	_ = p.answer.Close()
	p.visit.Close()
}

// call sends the call to a confined process, and reads frames until the last one.
func (p *worker) call(c Call, progress func([]byte)) (json.RawMessage, error) {
	if err := p.unsent(json.NewEncoder(p.stdin).Encode(c)); err != nil {
		return nil, err
	}
	for {
		var f frame
		if err := p.frames.next(&f); err != nil {
			return nil, p.lost(err)
		}
		if len(f.Progress) > 0 && progress != nil {
			progress(f.Progress)
		}
		switch {
		case !f.last():
		case f.Fault != "":
			return nil, errors.New(f.Fault)
		case f.Error != nil:
			return nil, &ToolError{Message: *f.Error}
		default:
			return f.Value, nil
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
