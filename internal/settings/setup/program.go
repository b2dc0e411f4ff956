package setup

import (
	"fmt"
	"sync"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// program is a program that aura starts.
type program struct {
	// path is where the program was found. start is the path that starts it: the file at path may be replaced while aura runs.
	path, start string
}

// found is aura-plugin-host as it was when aura first searched for it.
var found struct {
	once    sync.Once
	program program
	err     error
}

// hostProgram finds aura-plugin-host once. It never uses a program from PATH that tools can change.
func hostProgram(c *config.Config) (program, error) {
	found.once.Do(func() { found.program, found.err = openHost(c) })
	return found.program, found.err
}

// HostProgram returns the path of aura-plugin-host.
func HostProgram(c *config.Config) (string, error) {
	found, err := hostProgram(c)
	return found.path, err
}

func openHost(c *config.Config) (program, error) {
	path, err := hostBinary(c)
	if err != nil {
		return program{}, err
	}
	start, err := sandbox.Program(path)
	if err != nil {
		return program{}, fmt.Errorf("opening aura-plugin-host, which runs the plugins: %w", err)
	}
	return program{path: path, start: start}, nil
}
