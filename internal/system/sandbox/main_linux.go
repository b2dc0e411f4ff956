package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// Main is the child's side of Run: it confines this process, runs the call and returns the exit status. No other process may
// call it. It ends the process when the parent is gone.
func Main(run Tool) int {
	unix.CloseOnExec(answerFD)
	Rename(processName)
	if err := CloseInherited(answerFD); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out := &answers{to: json.NewEncoder(os.NewFile(answerFD, "answer"))}
	if err := serve(run, out); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "%s is for aura's own use: %v\n", Argument, err)
		return 1
	}
	return 0
}

// serve runs one call. It returns an error only if it cannot report the error to the parent.
func serve(run Tool, out *answers) error {
	files, err := receiveFiles(int(os.Stdin.Fd()))
	if err != nil {
		return fmt.Errorf("receiving the granted files: %w", err)
	}
	var asked order
	in := json.NewDecoder(os.Stdin)
	// A program of another release must not leave out a restriction that it does not know.
	in.DisallowUnknownFields()
	if err := in.Decode(&asked); err != nil {
		return fmt.Errorf("reading the policy: %w", err)
	}
	if len(asked.Layers) > 0 {
		if err := serveLayers(asked.Layers); err != nil {
			// The parent has no other way to learn of it.
			_, _ = fmt.Fprintln(os.Stderr, err)
		}
		return nil
	}
	asked.Policy.files = files
	if !asked.Isolation.Processes {
		if err := process.AdoptOrphans(); err != nil {
			return out.send(frame{Fault: err.Error()})
		}
		defer process.KillChildren()
	}
	report, err := confine(asked.Policy, asked.Isolation, onForker)
	if err != nil {
		return out.send(frame{Fault: err.Error()})
	}
	// A program that the tool starts must not be able to write answers through /proc.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return out.send(frame{Fault: fmt.Sprintf("keeping the answer to itself: %v", err)})
	}
	if err := out.send(frame{Report: &report}); err != nil {
		return err
	}
	var call Call
	if err := in.Decode(&call); errors.Is(err, io.EOF) {
		return nil // the process was confined in advance, and is not needed
	} else if err != nil {
		return fmt.Errorf("reading the call: %w", err)
	}
	call.Gated = report.Gated
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go watch(cancel, asked.Isolation)
	value, err := guarded(ctx, orProbe(run), call, func(b []byte) {
		// If the parent is gone, nothing needs the progress.
		_ = out.send(frame{Progress: b})
	})
	if err != nil {
		message := err.Error()
		return out.send(frame{Error: &message})
	}
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	return out.send(frame{Value: value})
}

// watch waits until the parent is gone. Then it cancels the tool and kills this process with its descendants, because no
// process waits for the result.
func watch(cancel context.CancelFunc, in Isolation) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	if !in.Processes {
		process.KillChildren()
	}
	_ = unix.Kill(0, unix.SIGKILL)
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	os.Exit(1) //nolint:forbidigo // the first process of a namespace ignores its own signals, and must end all the same
}

// guarded turns a panic of the tool into an error.
func guarded(ctx context.Context, run Tool, call Call, progress func([]byte)) (value json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panicked: %v", call.Tool, r)
		}
	}()
	return run(ctx, call, progress)
}

// answers writes frames, one at a time.
type answers struct {
	mu sync.Mutex
	to *json.Encoder
}

func (a *answers) send(f frame) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.to.Encode(f); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}
