package main

import (
	"os"
	"runtime/debug"

	"github.com/idelchi/aura/internal/golang/interp"
	"github.com/idelchi/aura/shared"
)

// maxStack is the largest stack that Go gives a goroutine, in bytes. Interpreted calls that are deeper use several: up to half of the memory limit, and
// leastStacks at least.
const (
	maxStack    = 32 << 20
	leastStacks = 32 << 20
	mostStacks  = 512 << 20
)

// exitCrash is the exit status of a process that Go's runtime ends.
const exitCrash = 2

// limit applies the plugin's limits. The soft memory limit makes the garbage collector work harder before the hard limit is
// reached.
func limit(spec shared.LaunchSpec) {
	debug.SetMaxStack(maxStack)
	stacks := int64(mostStacks)
	if spec.MemoryBytes > 0 {
		stacks = min(max(leastStacks, spec.MemoryBytes/2), mostStacks)
	}
	interp.LimitStack(stacks, func(report string) {
		_, _ = os.Stderr.WriteString(report)
		os.Exit(exitCrash)
	})
	if spec.MemoryBytes > 0 {
		debug.SetMemoryLimit(spec.MemoryBytes / 8 * 7)
	}
	limitProcess(spec)
}
