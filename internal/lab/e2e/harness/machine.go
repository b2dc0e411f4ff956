//go:build unix

package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// MachineBin returns a new directory with the programs of another one. A policy in it restricts these programs as the policy of a machine
// does; see machinepolicy.TestDir. The caller must remove it.
func MachineBin(programs string) (string, error) {
	dir, err := os.MkdirTemp(Bin, "machine-")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"aura", "aura-plugin-host", "aura-tool-host", "mcpserver"} {
		err = errors.Join(err, os.Link(filepath.Join(programs, name), filepath.Join(dir, name)))
	}
	return dir, errors.Join(err, os.Chmod(dir, 0o755))
}

// SetPolicy writes the policy of the programs in a directory of MachineBin: the first document as policy.yaml, others below policy.d. No
// document removes the policy.
func SetPolicy(bin string, documents map[string][]byte) error {
	dir := filepath.Join(bin, machinepolicy.TestDir)
	if err := os.RemoveAll(dir); err != nil || len(documents) == 0 {
		return err
	}
	err := os.MkdirAll(filepath.Join(dir, machinepolicy.PartsName), 0o755)
	for name, text := range documents {
		const mode fs.FileMode = 0o644
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, mode), os.Chmod(filepath.Join(dir, name), mode))
	}
	return err
}
