// Package gocmd runs the go command for a build of a plugin.
package gocmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/system/process"
)

// mark is the environment variable by which the processes of a build are found.
const mark = "AURA_NATIVE"

// linger is how long the processes of a build may still write after the go command has exited.
const linger = time.Second

// Command is a run of the go command. It must be able to write to the directories of Writable, to read the toolchain, and nothing else.
type Command struct {
	// Program is the path of the go command. Root is its GOROOT.
	Program, Root string
	Args          []string
	Env           []string
	Dir           string
	Writable      []string
	// Readable lists files that the command reads in addition, if they exist. Network permits the command to use the network.
	Readable []string
	Network  bool
}

// FailedError is a build that fails again each time, such as that of a source that does not compile.
type FailedError struct{ Reason string }

func (e *FailedError) Error() string { return e.Reason }

// Unconfined runs the go command without a sandbox. The command runs no code of the plugin.
func Unconfined(ctx context.Context, c Command) (string, error) {
	return run(ctx, c, process.Spec{Guard: true, Mark: mark})
}

// Confined runs the go command in a process that is confined already, and that ends its descendants.
func Confined(ctx context.Context, c Command) (string, error) {
	Yield()
	return run(ctx, c, process.Spec{SameGroup: true})
}

func run(ctx context.Context, c Command, s process.Spec) (string, error) {
	var out bytes.Buffer
	s.Path, s.Args, s.Env, s.Dir = c.Program, append([]string{"go"}, c.Args...), c.Env, c.Dir
	s.Stdout, s.Stderr, s.Linger = &out, &out, linger
	err := process.Run(ctx, s)
	if code, exited := process.ExitCode(err); exited && code > 0 && ctx.Err() == nil {
		return out.String(), &FailedError{Reason: err.Error()}
	}
	if err != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("running %s: %w", c.Program, err)
	}
	return out.String(), err
}
