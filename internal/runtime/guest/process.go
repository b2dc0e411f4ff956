package guest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/shared"
)

// Guest is a started guest. The caller must call Serve, and end the guest with Kill or Finish.
type Guest struct {
	*Client
	name string
	proc *process.Process
	to   *os.File
	from *os.File
}

// Start starts a guest with an environment. The guest inherits two pipes, as the descriptors 3 and 4, and has no input. It belongs to
// the process group of the caller, and dies with the caller.
func Start(g shared.Guest, o Options, env []string, stdout, stderr io.Writer) (*Guest, error) {
	started, err := start(g, env, stdout, stderr)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", g.Program, err)
	}
	started.Client = New(started.to, o)
	return started, nil
}

func start(g shared.Guest, env []string, stdout, stderr io.Writer) (*Guest, error) {
	if !passesFiles {
		return nil, errors.New("this system cannot pass descriptors to a process, which a plugin of this runtime needs")
	}
	theirIn, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), to.Close())
	}
	proc, err := process.Start(process.Spec{
		Path: g.Program, Args: append([]string{g.Program}, g.Args...), Env: env,
		Stdout: stdout, Stderr: stderr, Files: []*os.File{theirIn, theirOut}, SameGroup: true,
		// A descendant of the guest may hold the other end longer than the guest lives.
		ReadEnds: []*os.File{from},
	})
	_ = theirIn.Close()
	_ = theirOut.Close()
	if err != nil {
		_ = to.Close()
		_ = from.Close()
		return nil, err
	}
	return &Guest{name: filepath.Base(g.Program), proc: proc, to: to, from: from}, nil
}

// exitGrace is how long a guest that closed its end of the protocol has to exit, so that its exit status can be reported.
const exitGrace = time.Second

// ExitError is a guest that exited on its own.
type ExitError struct {
	Status int

	name string
}

func (e *ExitError) Error() string { return fmt.Sprintf("%s exited with status %d", e.name, e.Status) }

// Serve receives the frames of the guest until there are no more. It returns how the guest ended; the guest is gone then. Calls that are
// not answered wait until Close.
func (g *Guest) Serve() error {
	err := g.Run(process.Leftover(g.from))
	eof := errors.Is(err, io.EOF)
	if eof && g.proc.ExitedWithin(exitGrace) {
		err = howEnded(g.name, g.proc.State())
	} else if eof {
		err = fmt.Errorf("%s was ended: it closed the descriptor on which it answers", g.name)
	} else {
		err = fmt.Errorf("%s was ended: %w", g.name, err)
	}
	g.proc.Kill()
	<-g.proc.Exited()
	_ = g.from.Close()
	return err
}

// Finish tells the guest that no more calls will come, by closing the pipe. A guest exits then.
func (g *Guest) Finish() error { return g.to.Close() }

// Kill kills the guest.
func (g *Guest) Kill() { g.proc.Kill() }
