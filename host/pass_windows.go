package host

import (
	"os"

	"github.com/idelchi/aura/internal/process"
)

// launchIsLifeline is true where one pipe has to serve as both.
const launchIsLifeline = true

// pass gives the child the file by which it learns what to be and when to end.
func pass(s *process.Spec, launch *os.File) { s.Stdin = launch }
