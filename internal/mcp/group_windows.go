package mcp

import (
	"errors"
	"fmt"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object that holds the program and all that it starts. It ends with aura's last handle on it.
type group struct{ job windows.Handle }

// startGroup starts cmd and puts it into a job of its own.
func startGroup(cmd *exec.Cmd) (*group, error) {
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
		return fmt.Errorf("opening the program's process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(g.job, process); err != nil {
		return fmt.Errorf("putting the program into its job object: %w", err)
	}
	return nil
}

// terminate does nothing: there is no signal that asks.
func (g *group) terminate() {}

// kill ends every process of the job. One that is gone already needs no killing.
func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

func (g *group) close() { _ = windows.CloseHandle(g.job) }
