//go:build linux && !amd64 && !arm64

package sandbox

import (
	"fmt"
	"runtime"
)

// filterSupported always returns an error: the list of calls was made for other architectures.
func filterSupported() error { return fmt.Errorf("no filter of system calls for %s", runtime.GOARCH) }

func filterCalls(Policy, []uint32) error {
	return fmt.Errorf("filtering system calls: %w: %w", ErrUnsupported, filterSupported())
}

func filterGate() error { return filterCalls(Policy{}, nil) }

// callsWithout returns nothing: there is no filter.
func callsWithout(Policy, Isolation, *Report) []uint32 { return nil }
