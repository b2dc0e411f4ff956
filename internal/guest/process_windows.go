package guest

import (
	"fmt"
	"os"
)

// passesFiles reports whether a process can be started with further descriptors.
const passesFiles = false

// howEnded says how a process ended.
func howEnded(state *os.ProcessState) string {
	return fmt.Sprintf("exited with status %d", state.ExitCode())
}
