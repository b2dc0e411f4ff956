package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// main attacks, or does one thing: it is the bomb of Bash (threads are the cheapest of what the kernel counts), connects to an
// address, or runs a program on a system that cannot confine.
func main() {
	var err error
	switch args := os.Args; {
	case len(args) == 3 && args[1] == "bomb":
		threads(args[2])
	case len(args) == 4 && args[1] == "connect":
		err = connects(args[2], args[3])
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

// threads starts as many threads, all of which live at the same time. The runtime gives up if it gets one less.
func threads(count string) {
	n, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	debug.SetMaxThreads(2 * n)
	started := make(chan bool)
	for i := 0; i < n; i++ {
		go func() {
			runtime.LockOSThread()
			started <- true
			_ = syscall.Nanosleep(&syscall.Timespec{Sec: int64(time.Minute.Seconds())}, nil)
		}()
	}
	for i := 0; i < n; i++ {
		<-started
	}
	fmt.Println("all threads live")
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
