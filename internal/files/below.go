package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SaveBelow is like Save, for a name relative to a directory in which other users or programs may have put links. It follows no
// link that leads out of the directory, neither as the last part of the name nor before it. If the name itself leads out of the
// directory, the user asked for that, and SaveBelow allows it.
func SaveBelow(dir, name string, data []byte, mode fs.FileMode) error {
	if !filepath.IsLocal(name) {
		return Save(filepath.Join(dir, name), data, mode)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	switch {
	case err == nil && info.Mode().IsRegular():
		mode = info.Mode().Perm()
	case err == nil && info.Mode()&fs.ModeSymlink == 0:
		return fault("write", filepath.Join(dir, name), ErrNotRegular)
	}
	return replaceIn(root, name, data, mode)
}

// replaceIn is like Replace, within a directory.
func replaceIn(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	fresh := beside(name)
	f, err := root.OpenFile(fresh, exclusive, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(f.Chmod(mode), fill(f, data)); err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		return errors.Join(fault("write", filepath.Join(root.Name(), name), err), root.Remove(fresh))
	}
	return nil
}

// ReadBelow is like ReadNoFollow, for a name relative to a directory. Links before the last part of the name are followed
// within the directory. No link can lead out of it.
func ReadBelow(root *os.Root, name string, limit int64) ([]byte, error) {
	path := filepath.Join(root.Name(), name)
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fault("open", path, ErrLink)
	case !info.Mode().IsRegular():
		return nil, fault("open", path, ErrNotRegular)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock|noFollow, 0)
	if err != nil {
		return nil, explain(path, err)
	}
	defer func() { _ = f.Close() }()
	// OpenFile follows a link that was put there after Lstat.
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, fault("open", path, ErrLink))
	}
	return readOpen(f, path, limit)
}

// ReadDirBelow returns at most the given number of entries of a directory, sorted by name. The name is relative to root. No link can
// lead out of root.
func ReadDirBelow(root *os.Root, name string, most int) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, f.Close())
}
