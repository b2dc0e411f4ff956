package main

import (
	"fmt"
	"os"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/shared"
)

// limitProcess lets the kernel enforce limits, in unsafe mode too: no core files, a memory limit, and no privileges through
// set-user-ID programs. A limit that cannot be set is reported and otherwise ignored: a plugin with one limit less is better
// than none.
func limitProcess(spec shared.LaunchSpec) {
	report("core file size", process.ForbidCoreFiles())
	if spec.MemoryBytes > 0 {
		// The plugin is not responsible for the memory of the runtime, which depends on how the program was built.
		held, err := process.HeldMemory()
		report("memory", err)
		report("memory", process.LimitMemory(uint64(spec.MemoryBytes)+held))
	}
	if spec.Sandbox == nil {
		// Confining does this too, and nothing is loaded if it does not succeed. To stop all threads takes long.
		report("privileges", process.ForgoPrivileges())
	}
	if !spec.Isolated {
		// Orphaned descendants stay below this process, where they can be found.
		report("descendants", process.AdoptOrphans())
	}
}

func report(what string, err error) {
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "aura-plugin-host: limiting %s: %v\n", what, err)
	}
}
