package host

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/idelchi/aura/internal/process"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/shared"
)

// isolation is how much of its own a child has.
type isolation int

const (
	isolateNothing isolation = iota
	isolateProcesses
	// isolateMounts adds what only a child that confines itself can use.
	isolateMounts
)

// forbidden holds what the system turned out not to allow, by isolation.
var forbidden [isolateMounts + 1]atomic.Bool

// spawn starts the child detached from the terminal, to be killed by the kernel when aura dies. Where the system allows it the
// child is the first process of a namespace, so that all its descendants die with it, whatever they do; and one that confines
// itself has its own mounts.
func spawn(cmd *exec.Cmd, spec *shared.LaunchSpec) error {
	done := make(chan error)
	sandbox.Fork(func() {
		level := isolateProcesses
		if spec.Sandbox != nil {
			level = isolateMounts
		}
		for ; level > isolateNothing; level-- {
			if forbidden[level].Load() {
				continue
			}
			err := start(cmd, spec, level)
			if err == nil || !sandbox.Forbidden(err) {
				done <- err
				return
			}
			forbidden[level].Store(true)
			sandbox.KeepPrograms()
		}
		done <- start(cmd, spec, isolateNothing)
	})
	return <-done
}

// start sets what the child needs to know about its isolation before its specification is sent. Without a namespace the
// child itself must end its descendants when aura is gone, so it is not killed then but woken, should it be stopped, to find
// its lifeline broken.
func start(cmd *exec.Cmd, spec *shared.LaunchSpec, level isolation) error {
	spec.Isolated, spec.PrivateMounts = level >= isolateProcesses, level >= isolateMounts
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT}
	if spec.Isolated {
		attr.Pdeathsig = syscall.SIGKILL
		sandbox.IsolateProcesses(attr)
	}
	if spec.PrivateMounts {
		sandbox.Isolate(attr)
	}
	// A Cmd can be started once; a copy of its plain fields can be tried again.
	try := &exec.Cmd{
		Path: cmd.Path, Stdin: cmd.Stdin, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
		ExtraFiles: cmd.ExtraFiles, SysProcAttr: attr, Err: cmd.Err,
	}
	if err := try.Start(); err != nil {
		return err
	}
	*cmd = *try
	return nil
}

// killTree kills a child with all its descendants. In a namespace the kernel does it; otherwise they are looked for.
func killTree(pid int, isolated bool) {
	if !isolated {
		process.KillTree(pid)
		return
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// statFields returns the fields of /proc/PID/stat from the state on, which is field 3 in the manual.
func statFields(pid int) ([]string, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, false
	}
	i := strings.LastIndexByte(string(b), ')')
	if i < 0 {
		return nil, false
	}
	fields := strings.Fields(string(b[i+1:]))
	return fields, len(fields) > 20
}
