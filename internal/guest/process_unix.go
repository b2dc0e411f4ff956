//go:build unix

package guest

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passesFiles reports whether a process can be started with further descriptors.
const passesFiles = true

// howEnded says how a process ended.
func howEnded(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return "was killed by " + unix.SignalName(status.Signal())
	}
	return fmt.Sprintf("exited with status %d", state.ExitCode())
}
