package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/process"
	"github.com/idelchi/aura/shared"
)

// limitProcess lets the kernel enforce what it can: no core files, no more memory, no privileges by way of set-user-ID programs,
// in unsafe mode too. What fails is reported and otherwise ignored: a plugin with one limit less is better than none.
func limitProcess(spec shared.LaunchSpec) {
	report("core file size", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
	if spec.MemoryBytes > 0 {
		bytes := uint64(spec.MemoryBytes) + held()
		report("memory", unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}))
	}
	report("privileges", forgoPrivileges())
	if !spec.Isolated {
		// Descendants whose parent has ended stay below this process, where they can be found.
		report("descendants", process.AdoptOrphans())
	}
}

// forgoPrivileges holds for every thread, and so for whatever thread the plugin starts a program from. A build with cgo knows no
// call on all threads and makes do with the present one and those it starts.
func forgoPrivileges() error {
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	switch {
	case errno == 0:
		return nil
	case errors.Is(errno, syscall.ENOTSUP):
		return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	default:
		return errno
	}
}

// held is the memory that counts against the limit already, in bytes: the runtime's own, which is not the plugin's doing and
// depends on how the program was built.
func held() uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 6 {
		return 0
	}
	pages, err := strconv.ParseUint(fields[5], 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

func report(what string, err error) {
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "aura-plugin-host: limiting %s: %v\n", what, err)
	}
}
