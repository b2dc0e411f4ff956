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

// limitProcess lets the kernel enforce limits, in unsafe mode too: no core files, a memory limit, and no privileges through
// set-user-ID programs. A limit that cannot be set is reported and otherwise ignored: a plugin with one limit less is better
// than none.
func limitProcess(spec shared.LaunchSpec) {
	report("core file size", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
	if spec.MemoryBytes > 0 {
		bytes := uint64(spec.MemoryBytes) + held()
		report("memory", unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}))
	}
	report("privileges", forgoPrivileges())
	if !spec.Isolated {
		// Orphaned descendants stay below this process, where they can be found.
		report("descendants", process.AdoptOrphans())
	}
}

// forgoPrivileges applies to every thread, because the plugin may start a program from any thread. A build with cgo cannot make
// a system call on all threads. It covers only the current thread and the threads that this thread starts.
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

// held returns how much memory already counts against the limit, in bytes. It is the runtime's own memory, which the plugin is
// not responsible for and which depends on how the program was built.
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
