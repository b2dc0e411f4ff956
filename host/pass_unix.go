//go:build unix

package host

import (
	"os"

	"github.com/idelchi/aura/internal/process"
)

// launchIsLifeline reports whether one pipe serves as both the launch file and the lifeline.
const launchIsLifeline = false

// pass gives the child the files with its launch specification and its lifeline: shared.LaunchFD and shared.LifelineFD.
func pass(s *process.Spec, launch *os.File) { s.Files, s.Lifeline = []*os.File{launch}, true }
