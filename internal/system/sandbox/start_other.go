//go:build !linux

package sandbox

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/system/process"
)

// Start returns an error: no other system can confine a process.
func Start(context.Context, process.Spec, Policy) (*process.Process, Report, error) {
	return nil, Report{}, fmt.Errorf("starting a confined process: %w", ErrUnsupported)
}

// Confined returns an error: no other system can confine a process.
func Confined(string) error { return fmt.Errorf("confining this process: %w", ErrUnsupported) }
