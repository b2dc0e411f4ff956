package host

import (
	"os"

	"github.com/idelchi/aura/internal/process"
)

// launchIsLifeline reports whether one pipe serves as both the launch file and the lifeline.
const launchIsLifeline = true

// pass gives the child the file that serves as both its launch file and its lifeline.
func pass(s *process.Spec, launch *os.File) { s.Stdin = launch }
