//go:build !linux

package sandbox

import (
	"context"
	"fmt"
)

// Run always returns an error: this system has no means to confine a process.
func Run(_ context.Context, c Command) (Result, error) {
	return Result{}, fmt.Errorf("running %s: %w", c.Call.Tool, ErrUnsupported)
}

// Spares keeps no processes on this system.
type Spares struct{}

// Run always returns an error.
func (*Spares) Run(ctx context.Context, c Command) (Result, error) { return Run(ctx, c) }

// Close does nothing.
func (*Spares) Close() {}

// Main always fails.
func Main(Tool) int { return 1 }

// Marked returns the environment unchanged.
func Marked(env []string) []string { return env }
