//go:build !linux

package doctor

import "runtime"

// kernel is the name of the system. Its release decides about nothing that aura does.
func kernel() string { return runtime.GOOS }
