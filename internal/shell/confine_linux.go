package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// maxStack is how far functions of the line may call themselves, in bytes of the interpreter's stack: a few
// thousand levels. Without it a runaway recursion takes long to reach the memory limit.
const maxStack = 32 << 20

// limits are the memory limits of this process: its own, and the ones it was started with, for its programs.
type limits struct {
	mu            sync.Mutex
	own, programs unix.Rlimit
	over          atomic.Bool // see end
}

// confine bounds what this process may allocate beyond what it holds now. It establishes that running out of memory
// ends it by SIGABRT, with nothing on stderr and no core file, so that the parent can tell this from an exit.
// The returned writer takes the place of stderr.
func confine(memory int64, stderr io.Writer) (io.Writer, *limits, error) {
	stderr, err := detach(stderr)
	if err != nil {
		return stderr, nil, fmt.Errorf("setting the runtime's messages apart: %w", err)
	}

	held, err := heldMemory()
	if err != nil {
		return stderr, nil, fmt.Errorf("reading the memory in use: %w", err)
	}

	l := &limits{}
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &l.programs); err != nil {
		return stderr, nil, fmt.Errorf("reading the memory limit: %w", err)
	}

	l.own = unix.Rlimit{Cur: min(held+uint64(memory), l.programs.Max), Max: l.programs.Max}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &l.own); err != nil {
		return stderr, nil, fmt.Errorf("setting the memory limit: %w", err)
	}

	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return stderr, nil, fmt.Errorf("forbidding core files: %w", err)
	}

	debug.SetTraceback("crash")
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(memory / 4 * 3)

	return stderr, l, nil
}

// detach leaves descriptor 2 to the runtime, for nobody to read, and returns a copy of what it was.
func detach(stderr io.Writer) (io.Writer, error) {
	file, ok := stderr.(*os.File)
	if !ok || file.Fd() != 2 {
		return stderr, nil
	}

	fd, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return stderr, err
	}

	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return stderr, err
	}

	defer func() { _ = null.Close() }()

	return os.NewFile(uintptr(fd), "stderr"), unix.Dup3(int(null.Fd()), 2, 0)
}

// heldMemory is what the kernel counts against RLIMIT_DATA so far, in bytes.
func heldMemory() (uint64, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}

	const dataField = 5

	fields := bytes.Fields(data)
	if len(fields) <= dataField {
		return 0, fmt.Errorf("unexpected %q", data)
	}

	pages, err := strconv.ParseUint(string(fields[dataField]), 10, 64)

	return pages * uint64(os.Getpagesize()), err
}

// lifted runs work, which starts a program, under the limits that the program is to have. They cannot be changed
// between its fork and its exec, so for that moment they are this process's too.
func (l *limits) lifted(work func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()

	if err := unix.Setrlimit(unix.RLIMIT_DATA, &l.programs); err != nil {
		return fmt.Errorf("lifting the memory limit: %w", err)
	}

	err := work()

	if limitErr := unix.Setrlimit(unix.RLIMIT_DATA, &l.own); limitErr != nil && err == nil {
		return fmt.Errorf("restoring the memory limit: %w", limitErr)
	}

	return err
}
