//go:build unix

package host

import (
	"os"

	"github.com/idelchi/aura/internal/system/process"
)

// launchIsLifeline reports whether one pipe serves as both the launch file and the lifeline.
const launchIsLifeline = false

// pass gives the child its lifeline, the file with its launch specification, and the files that its policy grants:
// shared.LifelineFD, shared.LaunchFD, and the descriptors from shared.GrantsFD on.
func pass(s *process.Spec, launch *os.File, granted []*os.File) {
	s.Lifeline, s.Files = true, append([]*os.File{launch}, granted...)
}
