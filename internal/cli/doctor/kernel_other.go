//go:build !linux

package doctor

import "runtime"

// kernel returns the name of the operating system. Nothing in aura depends on the release of such a system.
func kernel() string { return runtime.GOOS }
