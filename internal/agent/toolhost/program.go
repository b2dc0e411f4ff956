package toolhost

import (
	"fmt"
	"os"
	"sync"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// Name is the name of the program, without the suffix that some systems add.
const Name = "aura-tool-host"

// Found is the program that runs calls and commands.
type Found struct {
	// Path is where the program was found. Start is the path that starts it: the file at Path may be replaced while aura runs.
	Path, Start string
	separate    bool
}

// Separate reports whether the program is aura-tool-host. If it is not, this program takes its place.
func (f Found) Separate() bool { return f.separate }

// Program finds the program once: aura-tool-host in the directory of this program, or else this program itself, whose main function must
// call Main. It opens aura-tool-host, so that a later file of the same name does not run.
func Program() (Found, error) { return find() }

var find = sync.OnceValues(func() (Found, error) {
	own, err := os.Executable()
	if err != nil {
		return Found{}, fmt.Errorf("finding the program that runs tools: %w", err)
	}
	beside := sandbox.Beside(own, Name)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		if start, err := sandbox.Program(beside); err == nil {
			return Found{Path: beside, Start: start, separate: true}, nil
		}
	}
	start, err := sandbox.Self()
	if err != nil {
		return Found{}, fmt.Errorf("finding the program that runs tools: %w", err)
	}
	return Found{Path: own, Start: start}, nil
})
