package setup

import (
	"fmt"
	"sync"

	"github.com/idelchi/aura/internal/sandbox"
)

// program is a program that aura starts.
type program struct {
	// path is where it was found, start what it is started by: its file may be replaced while aura runs.
	path, start string
}

// hostProgram is aura-plugin-host as it was when aura first looked for it.
var hostProgram = sync.OnceValues(func() (program, error) {
	path, err := hostBinary()
	if err != nil {
		return program{}, err
	}
	start, err := sandbox.Program(path)
	if err != nil {
		return program{}, fmt.Errorf("opening aura-plugin-host, which runs the plugins: %w", err)
	}
	return program{path: path, start: start}, nil
})
