package main

import (
	"runtime/debug"

	"github.com/idelchi/aura/shared"
)

// maxStack is where endless recursion ends with a clear message, in bytes; it takes far less than the limit of memory.
const maxStack = 32 << 20

// limit keeps the plugin within its bounds. The garbage collector works harder before the hard limit is reached.
func limit(spec shared.LaunchSpec) {
	debug.SetMaxStack(maxStack)
	if spec.MemoryBytes > 0 {
		debug.SetMemoryLimit(spec.MemoryBytes / 8 * 7)
	}
	limitProcess(spec)
}
