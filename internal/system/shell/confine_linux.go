package shell

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// maxStack limits the recursion of functions of the line, in bytes of the interpreter's stack: a few thousand levels. Without
// it a runaway recursion takes long to reach the memory limit.
const maxStack = 32 << 20

// maxProcs is how many processors the interpreter uses. It needs only one; each further processor may cost it a thread.
const maxProcs = 2

// spareThreads is how many threads the runtime may need in addition to those that wait for programs.
const spareThreads = 8

// usualStack is the size of a thread's stack if the system sets no limit, in bytes.
const usualStack = 8 << 20

// limits holds the memory limits of this process: its own limit, and the limit that it was started with, which its programs
// get. One thread waits for each running program. The stack of such a thread counts as memory although almost none of it is
// used. Therefore the own limit grows by one stack for each program that ran at the same time.
type limits struct {
	mu            sync.Mutex
	own, programs unix.Rlimit
	stack         uint64 // of a thread, in bytes
	running, most uint64
	over          atomic.Bool // see end
}

// confine limits what this process may allocate beyond what it holds now. When the process runs out of memory, it ends by
// SIGABRT with nothing on stderr and no core file, so that the parent can distinguish this from an exit. The caller must use
// the returned writer instead of stderr.
func confine(memory int64, stderr io.Writer) (io.Writer, *limits, error) {
	stderr, err := detach(stderr)
	if err != nil {
		return stderr, nil, fmt.Errorf("setting the runtime's messages apart: %w", err)
	}

	runtime.GOMAXPROCS(maxProcs)

	held, err := process.HeldMemory()
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

// detach leaves descriptor 2 to the runtime, whose messages are discarded, and returns a copy of the original descriptor.
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

// lifted runs work, which starts a program, under the limits for programs. The limits cannot be changed between the fork and
// the exec of the program, so they apply to this process too until work returns.
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

// ended records the end of a program that lifted has started.
func (l *limits) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.running--
}

// restore sets the own limit of this process again.
func (l *limits) restore() error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: min(l.own.Cur+l.most*l.stack, l.own.Max), Max: l.own.Max})
}

// threadStack returns how much the stack of a thread counts as memory at most, in bytes.
func threadStack() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil || limit.Cur == 0 || limit.Cur > 8*usualStack {
		return usualStack
	}

	return limit.Cur
}
