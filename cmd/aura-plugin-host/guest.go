package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/guest"
	"github.com/idelchi/aura/internal/process"
	"github.com/idelchi/aura/shared"
)

// loadedGuest is a plugin that a guest runs. What it exports is known already.
type loadedGuest struct {
	*guest.Client
	exports shared.Exports
}

// Load returns the plugin's exports.
func (l loadedGuest) Load(context.Context) (shared.Exports, error) { return l.exports, nil }

// loadGuest starts the guest of a launch specification and loads the plugin in it. From then on, this process ends with the guest.
func loadGuest(out streams, spec shared.LaunchSpec, services shared.Services) (shared.Served, error) {
	to, from, proc, err := startGuest(out, *spec.Guest)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Guest.Program, err)
	}
	client := guest.New(to, guest.Options{Name: spec.Name, Dir: spec.Dir, Tool: spec.Tool, Services: services})
	go endWithGuest(filepath.Base(spec.Guest.Program), out.stderr, proc, client, from)
	exports, err := client.Load(context.Background())
	if err != nil {
		return nil, err
	}
	return loadedGuest{client, exports}, nil
}

// startGuest starts the guest as a child of this process. The guest inherits two pipes, as the descriptors 3 and 4, and writes its
// output to the plugin's log.
func startGuest(out streams, g shared.Guest) (to, from *os.File, proc *process.Process, err error) {
	if !passesFiles {
		return nil, nil, nil, errors.New("this system cannot pass descriptors to a process, which a plugin of this runtime needs")
	}
	theirIn, to, err1 := os.Pipe()
	from, theirOut, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		_ = theirIn.Close()
		_ = theirOut.Close()
	}()
	//nolint:forbidigo // the environment of this process is the plugin's
	env := os.Environ()
	proc, err = process.Start(process.Spec{
		Path: g.Program, Args: append([]string{g.Program}, g.Args...), Env: env,
		Stdout: out.stdout, Stderr: out.stderr, Files: []*os.File{theirIn, theirOut}, SameGroup: true,
	})
	return to, from, proc, err
}

// exitGrace is how long a guest that closed its end of the protocol has to exit, so that its exit status can be reported.
const exitGrace = time.Second

// endWithGuest receives the guest's frames and ends this process when there will be no more. aura then finds the reason in the last
// lines of the output, after what the guest itself printed.
func endWithGuest(name string, stderr io.Writer, proc *process.Process, client *guest.Client, from io.Reader) {
	err := client.Run(from)
	why := fmt.Sprintf("%s was ended: %v", name, err)
	switch {
	case errors.Is(err, io.EOF) && proc.ExitedWithin(exitGrace):
		why = name + " " + howEnded(proc.State())
	case errors.Is(err, io.EOF):
		why = name + " was ended: it closed the descriptor on which it answers"
	}
	proc.Kill()
	_, _ = fmt.Fprintln(stderr, "aura-plugin-host:", why)
	os.Exit(exitFailure)
}
