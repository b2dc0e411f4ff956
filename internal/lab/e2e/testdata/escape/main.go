package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// main attacks, or does one thing: it is the bomb, connects to an address,
// does in namespaces what a plugin has started it for, or runs a program on a system that cannot confine.
func main() {
	var err error
	switch args := os.Args; {
	case len(args) == 3 && args[1] == "bomb":
		err = forks(args[2])
	case len(args) == 4 && args[1] == "connect":
		err = connects(args[2], args[3])
	case len(args) == 4 && args[1] == "mount":
		err = bindMount(args[2], args[3])
	case len(args) == 2 && args[1] == "raw":
		err = rawSocket(syscall.AF_INET, 1)
	case len(args) == 2 && args[1] == "packet":
		err = rawSocket(syscall.AF_PACKET, 0)
	case len(args) == 3 && args[1] == "say":
		fmt.Println(args[2])
	case len(args) > 2 && args[1] == "unsupported":
		err = withoutLandlock(args[2:])
	default:
		err = attackAll(awaitScene(), "bash")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// forks starts as many processes, all of which live at the same time, and then ends them.
func forks(count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	parent := syscall.Getpid()
	var pids []int
	for err == nil && len(pids) < n {
		pid, errno := fork(parent)
		if errno != 0 {
			err = fmt.Errorf("after %d processes: %w", len(pids), errno)
			break
		}
		pids = append(pids, int(pid))
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, pid := range pids {
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	}
	return err
}

// fork returns in the parent alone. The child does nothing that the runtime would have to know of, and dies with its parent.
//
//go:noinline
//go:norace
func fork(parent int) (uintptr, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
	if got, _, _ := syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0); got != uintptr(parent) {
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
	for {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}

// withoutLandlock runs a program as a kernel without Landlock would.
func withoutLandlock(args []string) error {
	const landlockCreateRuleset, enosys = 444, 0x00050000 | 38
	filter := []syscall.SockFilter{
		{Code: 0x20},
		{Code: 0x15, Jf: 1, K: landlockCreateRuleset},
		{Code: 0x06, K: enosys},
		{Code: 0x06, K: 0x7fff0000},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, 38, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, 22, 2, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}
