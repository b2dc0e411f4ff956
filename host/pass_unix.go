//go:build unix

package host

import (
	"os"
	"os/exec"

	"github.com/idelchi/aura/shared"
)

// launchIsLifeline is true where one pipe has to serve as both.
const launchIsLifeline = false

// pass gives the child the files by which it learns what to be and when to end.
func pass(cmd *exec.Cmd, launch, lifeline *os.File) {
	cmd.ExtraFiles = []*os.File{shared.LaunchFD - 3: launch, shared.LifelineFD - 3: lifeline}
}
