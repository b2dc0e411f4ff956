package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// Start starts a confined process that has its streams to itself, such as a shell line or a server. The program of the
// specification must call Confined if its first argument is ConfinedArgument; Start adds that argument and the next one. The policy must be opened; see Grants.Open. When Start returns without an error, the process is confined,
// and runs what its other arguments ask for. After an error, nothing is left running. The end of ctx only ends the start.
func Start(ctx context.Context, s process.Spec, p Policy) (*process.Process, Report, error) {
	theirs, ours, err := connection()
	if err != nil {
		return nil, Report{}, err
	}
	defer func() { _ = ours.Close() }()
	first := 3
	if s.Lifeline {
		first++
	}
	s.Args = slices.Insert(slices.Clone(s.Args), 1, ConfinedArgument, strconv.Itoa(first+len(s.Files)))
	s.Files, s.Isolation, s.Weaker = append(slices.Clip(s.Files), theirs), process.OwnMounts, KeepPrograms
	started, err := process.Start(s)
	_ = theirs.Close()
	if err != nil {
		return nil, Report{}, err
	}
	stop := context.AfterFunc(ctx, started.Kill)
	p, visit, err := p.Connect()
	var report Report
	if err == nil {
		report, err = instruct(ours, p, started.Isolation())
		visit.Sent()
	}
	if !stop() && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		started.Kill()
		<-started.Exited()
		visit.Close()
		return nil, report, err
	}
	if visit != nil {
		go func() {
			<-started.Exited()
			visit.Close()
		}()
	}
	return started, report, nil
}

// instruct sends the policy to a child and waits until the child is confined.
func instruct(to *os.File, p Policy, level process.Isolation) (Report, error) {
	in := Isolation{Processes: level >= process.OwnProcesses, Mounts: level >= process.OwnMounts}
	err := sendFiles(to, p.Files())
	if err == nil {
		err = json.NewEncoder(to).Encode(order{Policy: p, Isolation: in})
	}
	var said verdict
	if err == nil {
		err = json.NewDecoder(to).Decode(&said)
	}
	switch {
	case err != nil:
		return said.Report, fmt.Errorf("confining a process, which ended before it answered: %w", err)
	case said.Fault != "":
		return said.Report, errors.New(said.Fault)
	default:
		return said.Report, nil
	}
}

// Confined is the child's side of Start: it confines this process. After an error the process must end, because it may be confined
// only in part. descriptor is the number of the connection on which the policy comes. Confined closes it and the descriptors after it.
func Confined(descriptor string) error {
	last, err := strconv.Atoi(descriptor)
	if err != nil {
		return fmt.Errorf("descriptor %q is not a number", descriptor)
	}
	var keep []int
	for fd := 3; fd <= last; fd++ {
		unix.CloseOnExec(fd)
		keep = append(keep, fd)
	}
	Rename(processName)
	if err := CloseInherited(keep...); err != nil {
		return err
	}
	parent := os.NewFile(uintptr(last), "policy")
	defer func() { _ = parent.Close() }()
	files, err := receiveFiles(last)
	if err != nil {
		return fmt.Errorf("receiving the granted files: %w", err)
	}
	var asked order
	in := json.NewDecoder(parent)
	// A program of another release must not leave out a restriction that it does not know.
	in.DisallowUnknownFields()
	if err := in.Decode(&asked); err != nil {
		return fmt.Errorf("reading the policy: %w", err)
	}
	asked.Policy.files = files
	report, err := confine(asked.Policy, asked.Isolation, onForker)
	said := verdict{Report: report}
	if err != nil {
		said.Fault = err.Error()
	}
	return errors.Join(err, json.NewEncoder(parent).Encode(said))
}
