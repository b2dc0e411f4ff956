package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// OpenRoot is like os.OpenRoot, which waits for the other end if the path is a named pipe. OpenRoot fails at once for everything
// that is no directory.
func OpenRoot(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir + string(os.PathSeparator))
	if err != nil {
		return nil, fault("open", dir, Cause(err))
	}
	return root, nil
}

// OpenRootIn is like root.OpenRoot, and like OpenRoot it does not wait.
func OpenRootIn(root *os.Root, name string) (*os.Root, error) {
	below, err := root.OpenRoot(name + string(os.PathSeparator) + ".")
	if err != nil {
		return nil, fault("open", name, Cause(err))
	}
	return below, nil
}

// ReadDir returns at most the given number of entries of a directory, sorted by name. It follows links.
func ReadDir(dir string, most int) ([]fs.DirEntry, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	return readDir(f, most)
}

// ReadDirBelow is like ReadDir, for a name relative to root. No link can lead out of root.
func ReadDirBelow(root *os.Root, name string, most int) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	return readDir(f, most)
}

// readDir reads a directory and closes it.
func readDir(f *os.File, most int) ([]fs.DirEntry, error) {
	entries, err := f.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, f.Close())
}
