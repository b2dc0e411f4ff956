package main

import (
	"runtime/debug"

	"github.com/idelchi/aura/shared"
)

// maxStack is the stack size, in bytes, at which endless recursion ends with a clear message. It is far below the memory limit.
const maxStack = 32 << 20

// limit applies the plugin's limits. The soft memory limit makes the garbage collector work harder before the hard limit is
// reached.
func limit(spec shared.LaunchSpec) {
	debug.SetMaxStack(maxStack)
	if spec.MemoryBytes > 0 {
		debug.SetMemoryLimit(spec.MemoryBytes / 8 * 7)
	}
	limitProcess(spec)
}
