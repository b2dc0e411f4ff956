package process

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSignalChild checks that a number is signalled only while it belongs to the child that was found.
func TestSignalChild(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if err := signalChild(pid, 1<<30, unix.SIGKILL); !errors.Is(err, errOther) {
		t.Errorf("the child of somebody else: %v", err)
	}
	if err := signalChild(pid, os.Getpid(), unix.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
	if status, ok := cmd.ProcessState.Sys().(interface{ Signaled() bool }); !ok || !status.Signaled() {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if err := signalChild(pid, os.Getpid(), unix.SIGKILL); err == nil {
		t.Error("a process that is gone was signalled")
	}
}
