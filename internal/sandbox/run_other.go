//go:build !linux

package sandbox

import (
	"context"
	"fmt"
)

// Run refuses: there is nothing to confine a process with.
func Run(_ context.Context, c Command) (Result, error) {
	return Result{}, fmt.Errorf("running %s: %w", c.Call.Tool, ErrUnsupported)
}

// Spares keeps nothing.
type Spares struct{}

// Run refuses likewise.
func (*Spares) Run(ctx context.Context, c Command) (Result, error) { return Run(ctx, c) }

// Close has nothing to end.
func (*Spares) Close() {}

// Main refuses likewise.
func Main(Tool) int { return 1 }

// Marked returns the environment as it is.
func Marked(env []string) []string { return env }
