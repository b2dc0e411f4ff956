//go:build unix

package host

import (
	"os"

	"github.com/idelchi/aura/internal/process"
)

// launchIsLifeline is true where one pipe has to serve as both.
const launchIsLifeline = false

// pass gives the child the files by which it learns what to be and when to end: shared.LaunchFD and shared.LifelineFD.
func pass(s *process.Spec, launch *os.File) { s.Files, s.Lifeline = []*os.File{launch}, true }
