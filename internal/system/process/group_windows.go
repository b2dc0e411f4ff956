package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lifelineDescriptor is false: the job object ends when aura's last handle to it is closed.
const lifelineDescriptor = false

// group is a job object that contains a process and all its descendants. No process can leave it.
type group struct{ job windows.Handle }

// startGroup starts cmd and assigns it to a job object of its own.
func startGroup(cmd *exec.Cmd, attr *syscall.SysProcAttr, s Spec) (*group, error) {
	if s.Outlive {
		cmd.SysProcAttr = attr
		return &group{}, cmd.Start() // without a job object, nothing ends it
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a job object: %w", err)
	}
	g := &group{job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		g.close()
		return nil, fmt.Errorf("configuring a job object: %w", err)
	}
	cmd.SysProcAttr = attr
	if err := cmd.Start(); err != nil {
		g.close()
		return nil, err
	}
	if err := g.adopt(uint32(cmd.Process.Pid)); err != nil {
		g.close()
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return g, nil
}

func (g *group) adopt(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("opening the process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(g.job, process); err != nil {
		return fmt.Errorf("putting the process into its job object: %w", err)
	}
	return nil
}

// kill ends every process of the job. It ignores errors, because a process that is gone needs no killing.
func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

// terminate does nothing: Windows has no signal that asks a process to end.
func (*group) terminate() {}

// freeze does nothing: no process can leave the job.
func (*group) freeze() {}

func (g *group) close() { _ = windows.CloseHandle(g.job) }

// attributes keeps the terminal's Ctrl-C from reaching the process.
func attributes(Spec, Isolation) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// watcher is unused: the job object is the guard.
type watcher struct{}

func startWatcher() (*watcher, error) { return nil, nil }

func (*watcher) watch(int) {}
func (*watcher) end()      {}

// readNow reads nothing: when the job ends, every writer has ended, and a read returns what the pipe contains.
func readNow(*os.File, []byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// drain does nothing: when the job ends, every writer has ended.
func (output) drain([]byte) {}
