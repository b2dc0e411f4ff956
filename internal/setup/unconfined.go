package setup

import (
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/install"
)

// Unconfined returns a directory and an environment for programs that aura starts unconfined and that the user did not type. Confined
// code can write neither the directory nor one in which such a program is found.
func Unconfined(c *config.Config, environ []string) (dir string, env []string) {
	dir = filepath.Clean(string(filepath.Separator))
	if made := c.State.Project; made != "" && os.MkdirAll(made, 0o700) == nil {
		dir = made
	}
	return dir, install.SafeEnviron(environ, Writable(c)...)
}
