package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/shared"
)

// limitProcess lets the kernel enforce what it can: no core files, no more memory, no privileges by way of set-user-ID programs,
// in unsafe mode too. What fails is reported and otherwise ignored: a plugin with one limit less is better than none.
func limitProcess(spec shared.LaunchSpec) {
	report("core file size", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
	if spec.MemoryBytes > 0 {
		bytes := uint64(spec.MemoryBytes)
		report("memory", unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}))
	}
	report("privileges", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	if !spec.Isolated {
		// Descendants whose parent has ended stay below this process, where they can be found.
		report("descendants", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	}
}

func report(what string, err error) {
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "aura-plugin-host: limiting %s: %v\n", what, err)
	}
}
