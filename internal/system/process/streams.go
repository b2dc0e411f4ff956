package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// streams holds the input and output of a process, and its lifeline.
type streams struct {
	ours, theirs files
	// in, out and err are passed to the process; nil means the null device.
	in, out, err *os.File
	files        []*os.File
	feed         *os.File
	lifeline     *os.File
	outputs      []output
	// drained is closed when all outputs have been read to their end.
	drained chan struct{}
}

// output is copied from a pipe to a writer.
type output struct {
	from *os.File
	to   io.Writer
}

// open opens the pipes that a process needs.
func (s *streams) open(spec Spec) error {
	s.drained = make(chan struct{})
	s.files = spec.Files
	switch in := spec.Stdin.(type) {
	case nil:
	case *os.File:
		s.in = in
	default:
		s.in, s.feed = pipe(&s.theirs, &s.ours)
	}
	s.out = s.output(spec.Stdout)
	if spec.Stderr != nil && spec.Stderr == spec.Stdout {
		s.err = s.out
	} else {
		s.err = s.output(spec.Stderr)
	}
	if lifelineDescriptor && spec.Lifeline {
		var theirs *os.File
		theirs, s.lifeline = pipe(&s.theirs, &s.ours)
		s.files = append([]*os.File{theirs}, spec.Files...)
	}
	return errors.Join(s.ours.err, s.theirs.err)
}

func (s *streams) output(to io.Writer) *os.File {
	if file, ok := to.(*os.File); ok || to == nil {
		return file
	}
	from, theirs := pipe(&s.ours, &s.theirs)
	s.outputs = append(s.outputs, output{from: from, to: to})
	return theirs
}

// attach sets the streams of a command. It skips nil files, because an interface value must not contain a nil file.
func (s *streams) attach(cmd *exec.Cmd) {
	if s.in != nil {
		cmd.Stdin = s.in
	}
	if s.out != nil {
		cmd.Stdout = s.out
	}
	if s.err != nil {
		cmd.Stderr = s.err
	}
}

// run starts copying input and output until their ends.
func (s *streams) run(stdin io.Reader) {
	if s.feed != nil {
		go func() {
			// A process may leave its input unread.
			_, _ = io.Copy(s.feed, stdin)
			_ = s.feed.Close()
		}()
	}
	var readers sync.WaitGroup
	for _, o := range s.outputs {
		readers.Go(o.copy)
	}
	go func() {
		readers.Wait()
		close(s.drained)
	}()
}

// end returns when all output has been read. It also makes the reads from readEnds end.
func (s *streams) end(readEnds []*os.File) {
	if s.feed != nil {
		_ = s.feed.Close()
	}
	if s.lifeline != nil {
		_ = s.lifeline.Close()
	}
	deadline := time.Now().Add(drainTime)
	for _, f := range readEnds {
		_ = f.SetReadDeadline(deadline)
	}
	for _, o := range s.outputs {
		_ = o.from.SetReadDeadline(deadline)
	}
	<-s.drained
}

// copy reads until the last writer is gone or the deadline has passed. Then it closes the pipe.
func (o output) copy() {
	buf := make([]byte, 32<<10)
	for {
		n, err := o.from.Read(buf)
		// A failing writer must not block the process, so the output is still read.
		_, _ = o.to.Write(buf[:n])
		if err != nil {
			break
		}
	}
	o.drain(buf)
	_ = o.from.Close()
}

// files holds the ends of pipes that one side owns, and the first error of opening a pipe.
type files struct {
	open []*os.File
	err  error
}

func (f *files) close() {
	for _, each := range f.open {
		_ = each.Close()
	}
}

// pipe opens a pipe. reader owns its read end, and writer owns its write end.
func pipe(reader, writer *files) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		reader.err = fmt.Errorf("opening a pipe: %w", err)
		return nil, nil
	}
	reader.open, writer.open = append(reader.open, r), append(writer.open, w)
	return r, w
}
