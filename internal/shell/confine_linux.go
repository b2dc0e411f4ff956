package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// maxStack is how far functions of the line may call themselves, in bytes of the interpreter's stack: a few
// thousand levels. Without it a runaway recursion takes long to reach the memory limit.
const maxStack = 32 << 20

// maxProcs is how many processors the interpreter uses. It needs but one; each that it could use may cost it a thread.
const maxProcs = 2

// spareThreads are those that the runtime may need beside the ones that wait for programs.
const spareThreads = 8

// usualStack is the size of a thread's stack where the system sets no limit, in bytes.
const usualStack = 8 << 20

// limits are the memory limits of this process: its own, and the ones it was started with, for its programs. A thread waits
// for each program that runs, and its stack counts as memory although next to nothing of it is used, so the own limit grows
// by as many stacks as there were programs at a time.
type limits struct {
	mu            sync.Mutex
	own, programs unix.Rlimit
	stack         uint64 // of a thread, in bytes
	running, most uint64
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

	runtime.GOMAXPROCS(maxProcs)

	held, err := heldMemory()
	if err != nil {
		return stderr, nil, fmt.Errorf("reading the memory in use: %w", err)
	}

	l := &limits{stack: threadStack()}
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &l.programs); err != nil {
		return stderr, nil, fmt.Errorf("reading the memory limit: %w", err)
	}

	l.own = unix.Rlimit{Cur: held + uint64(memory) + spareThreads*l.stack, Max: l.programs.Max}
	if err := l.restore(); err != nil {
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
	if err == nil {
		l.running++
		l.most = max(l.most, l.running)
	}

	if limitErr := l.restore(); limitErr != nil && err == nil {
		return fmt.Errorf("restoring the memory limit: %w", limitErr)
	}

	return err
}

// ended takes note that a program has ended which lifted has started.
func (l *limits) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.running--
}

// restore sets the own limit.
func (l *limits) restore() error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: min(l.own.Cur+l.most*l.stack, l.own.Max), Max: l.own.Max})
}

// threadStack is what the stack of a thread counts for in bytes, at most.
func threadStack() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil || limit.Cur == 0 || limit.Cur > 8*usualStack {
		return usualStack
	}

	return limit.Cur
}
