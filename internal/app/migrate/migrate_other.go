//go:build !unix

package migrate

import (
	"os"
	"path/filepath"
)

// renameOut moves an entry of an open directory to a path.
func renameOut(dir *os.Root, name, to string) error {
	return os.Rename(filepath.Join(dir.Name(), name), to)
}
