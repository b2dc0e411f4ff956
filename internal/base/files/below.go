package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The following functions are for a path that the user chose, absolute or relative to a directory in which confined code may have
// put links. Below the directory they follow no link; MkdirBelow and CreateBelow create nothing through one. If the path leads out
// of the directory, the user asked for that, and they behave like the functions without Below; so they do if the directory is empty.

// SaveBelow is like Save.
func SaveBelow(dir, path string, data []byte, mode fs.FileMode) error {
	return saveBelow(dir, path, data, mode, true)
}

// SaveModeBelow is like SaveMode.
func SaveModeBelow(dir, path string, data []byte, mode fs.FileMode) error {
	return saveBelow(dir, path, data, mode, false)
}

func saveBelow(dir, path string, data []byte, mode fs.FileMode, keep bool) error {
	name, path, inside := locate(dir, path)
	if !inside && keep {
		return Save(path, data, mode)
	}
	if !inside {
		return SaveMode(path, data, mode)
	}
	parent, base, err := parentOf(dir, name, 0)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() { _ = parent.Close() }()
	info, err := parent.Lstat(base)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		// A link is replaced like a file, and the file that it leads to decides nothing but a refusal.
		info, err = os.Stat(path)
		keep = false
	}
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fault("write", path, ErrNotRegular)
	case err == nil && keep:
		mode = info.Mode().Perm()
	}
	return replaceIn(parent, base, data, mode)
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

// CreateBelow is like Create. It creates missing directories with the mode dirMode.
func CreateBelow(dir, path string, data []byte, mode, dirMode fs.FileMode) error {
	name, path, inside := locate(dir, path)
	if !inside {
		if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
			return err
		}
		return Create(path, data, mode)
	}
	parent, base, err := parentOf(dir, name, dirMode)
	if err != nil {
		return err
	}
	defer func() { _ = parent.Close() }()
	if _, err := parent.Lstat(base); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fault("create", path, fs.ErrExist))
	}
	fresh := beside(base)
	f, err := parent.OpenFile(fresh, exclusive, mode)
	if err != nil {
		return err
	}
	if err := fill(f, data); err != nil {
		return errors.Join(fault("write", path, err), parent.Remove(fresh))
	}
	// As in Create, Link fails if the path exists, and some file systems do not support it.
	if err = parent.Link(fresh, base); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, parent.Remove(fresh))
	}
	if err = parent.Rename(fresh, base); err != nil {
		return errors.Join(fault("write", path, err), parent.Remove(fresh))
	}
	return nil
}

// MkdirBelow is like os.MkdirAll.
func MkdirBelow(dir, path string, mode fs.FileMode) error {
	name, path, inside := locate(dir, path)
	if !inside {
		return os.MkdirAll(path, mode)
	}
	parent, _, err := parentOf(dir, filepath.Join(name, "x"), mode)
	if err != nil {
		return err
	}
	return parent.Close()
}

// ParentBelow opens the directory of a name below dir, part by part, and returns the last part of the name. No part may be a link. Missing
// directories are created with the mode; mode 0 creates none. The caller must close the directory.
func ParentBelow(dir, name string, mode fs.FileMode) (*os.Root, string, error) {
	if !filepath.IsLocal(name) {
		return nil, "", fault("open", filepath.Join(dir, name), fs.ErrInvalid)
	}
	return parentOf(dir, name, mode)
}

// ReadPathBelow is like Read.
func ReadPathBelow(dir, path string, limit int64) ([]byte, error) {
	name, path, inside := locate(dir, path)
	if !inside {
		return Read(path, limit)
	}
	parent, base, err := parentOf(dir, name, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = parent.Close() }()
	return ReadBelow(parent, base, limit)
}

// locate returns the name of a path below a directory, and the absolute path. inside is false if the path leads elsewhere. The path may
// reach the directory by a name that has links.
func locate(dir, path string) (name, full string, inside bool) {
	if dir == "" {
		return "", path, false
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel, path, true
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", path, false
	}
	// The outermost match counts: a link below the directory may lead back to it.
	for at := path; ; at = filepath.Dir(at) {
		if other, err := os.Stat(at); err == nil && os.SameFile(info, other) {
			if rel, err := filepath.Rel(at, path); err == nil {
				name, inside = rel, true
			}
		}
		if at == filepath.Dir(at) {
			return name, path, inside
		}
	}
}

// parentOf opens the directory of a name part by part, and returns the last part. No part may be a link. Missing directories are
// created with the mode; mode 0 creates none. The caller must close the directory.
func parentOf(dir, name string, mode fs.FileMode) (*os.Root, string, error) {
	at, err := OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(name)), "/")
	for _, part := range parts[:len(parts)-1] {
		next, err := enter(at, part, mode)
		if err = errors.Join(err, at.Close()); err != nil {
			if next != nil {
				_ = next.Close()
			}
			return nil, "", err
		}
		at = next
	}
	return at, parts[len(parts)-1], nil
}

// enter opens a directory directly below another one, or creates it.
func enter(at *os.Root, part string, mode fs.FileMode) (*os.Root, error) {
	path := filepath.Join(at.Name(), part)
	info, err := at.Lstat(part)
	if errors.Is(err, fs.ErrNotExist) && mode != 0 {
		if err := at.Mkdir(part, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fault("mkdir", path, err)
		}
		info, err = at.Lstat(part)
	}
	switch {
	case err != nil:
		return nil, fault("open", path, Cause(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fault("open", path, ErrLink)
	}
	next, err := OpenRootIn(at, part)
	if err != nil {
		return nil, fault("open", path, Cause(err))
	}
	// OpenRoot follows a link that was put there after Lstat.
	if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, fault("open", path, ErrLink), next.Close())
	}
	return next, nil
}

// Cause returns an error without the path that it contains.
func Cause(err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		return inner.Err
	}
	return err
}

// ReadBelow is like ReadNoFollow, for a name relative to a directory. Links before the last part of the name are followed
// within the directory. No link can lead out of it.
func ReadBelow(root *os.Root, name string, limit int64) ([]byte, error) {
	f, _, err := OpenBelow(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readOpen(f, filepath.Join(root.Name(), name), limit)
}

// OpenBelow opens a regular file for reading, as ReadBelow does. The caller must close it.
func OpenBelow(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	path := filepath.Join(root.Name(), name)
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, nil, fault("open", path, ErrLink)
	case !info.Mode().IsRegular():
		return nil, nil, fault("open", path, ErrNotRegular)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock|noFollow, 0)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	// OpenFile follows a link that was put there after Lstat.
	opened, err := f.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return nil, nil, errors.Join(err, fault("open", path, ErrLink), f.Close())
	}
	return f, opened, nil
}

// Within reports whether a path is a directory or below it. Both are absolute, and no link is followed.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Exists reports whether there is anything at a path, also a link that leads nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
