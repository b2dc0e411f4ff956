package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
)

// outside describes where a process runs that is not confined and that the user did not type: a directory that no tool can write, and
// the directories that tools can write, whose programs the process must not start.
type outside struct {
	dir      string
	writable []string
}

// writableOf returns the place for unconfined processes without its directory.
func writableOf(c *config.Config) outside {
	var out outside
	for _, dir := range Writable(c) {
		out.writable = append(out.writable, dir)
		if end, err := filepath.EvalSymlinks(dir); err == nil && end != dir {
			out.writable = append(out.writable, end)
		}
	}
	return out
}

// outsideOf returns the place for unconfined processes. It creates the directory.
func outsideOf(c *config.Config) (outside, error) {
	out := writableOf(c)
	out.dir = c.State.Outside()
	if out.dir == "" {
		out.dir = filepath.Clean(string(filepath.Separator))
		return out, nil
	}
	if err := os.MkdirAll(out.dir, 0o700); err != nil {
		return out, fmt.Errorf("creating the directory for processes outside of the sandbox: %w", err)
	}
	return out, nil
}

// Unconfined returns a directory and an environment for programs that aura starts unconfined and that the user did not type. Confined
// code can write neither the directory nor one in which such a program is found.
func Unconfined(c *config.Config, environ []string) (dir string, env []string, err error) {
	at, err := outsideOf(c)
	env, _ = install.SafeEnviron(environ, at.writable...)
	return at.dir, env, err
}
