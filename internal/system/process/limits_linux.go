package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The limits in this file are those of the process that sets them. Every process that it starts inherits them.

// ForbidCoreFiles keeps the kernel from writing the memory of a process that crashes to a file, and from passing it to a program that the
// machine has for that. The limit is 1 byte: with 0 the kernel would still start the program, and no file fits into 1.
func ForbidCoreFiles() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}) }

// LimitMemory limits the memory that a process may allocate, in bytes, unless the current limit is lower.
func LimitMemory(limit uint64) error { return lower(unix.RLIMIT_DATA, limit) }

// LimitProcesses limits the number of processes of the user, unless the current limit is lower. The kernel counts the processes of a user
// namespace apart from the user's other processes, and does not count those of root.
func LimitProcesses(limit uint64) error { return lower(unix.RLIMIT_NPROC, limit) }

func lower(resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

// HeldMemory returns how much memory of this process counts against the limit so far, in bytes.
func HeldMemory() (uint64, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	const dataField = 5
	fields := bytes.Fields(data)
	if len(fields) <= dataField {
		return 0, fmt.Errorf("/proc/self/statm has an unexpected form: %q", data)
	}
	pages, err := strconv.ParseUint(string(fields[dataField]), 10, 64)
	return pages * uint64(os.Getpagesize()), err
}

// ForgoPrivileges keeps a process from gaining privileges by starting set-user-ID programs. It applies to every thread, because each
// may start a program. A build with cgo cannot make a system call on all threads: there it covers the current thread and the threads
// that this thread starts.
func ForgoPrivileges() error {
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
