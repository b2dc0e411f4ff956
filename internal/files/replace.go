package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// exclusive opens a file that does not exist yet.
const exclusive = os.O_WRONLY | os.O_CREATE | os.O_EXCL

// beside is a new name in the directory of a file. It is hidden, so that nothing reads the file before it is complete.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8])
}

// fill writes all of a new file, and waits until it is on disk.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Create makes a file that is complete from the moment it exists, with the mode that the umask leaves. If there is something of that
// name, even a link that leads nowhere, the error is fs.ErrExist.
func Create(path string, data []byte, mode fs.FileMode) error {
	fresh := beside(path)
	f, err := os.OpenFile(fresh, exclusive, mode)
	if err != nil {
		return err
	}
	if err := fill(f, data); err != nil {
		return errors.Join(fault("write", path, err), os.Remove(fresh))
	}
	// A link fails where a file exists; renaming would replace it.
	if err = os.Link(fresh, path); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(fresh))
	}
	// Some file systems have no links.
	if _, exists := os.Lstat(path); exists == nil {
		err = fs.ErrExist
	} else if err = os.Rename(fresh, path); err == nil {
		return nil
	}
	return errors.Join(fault("write", path, err), os.Remove(fresh))
}

// Replace puts a file with this content in the place of whatever path names, in one step: readers see the old file or the new
// one, and a full disk leaves the old one. A link is replaced, not followed; a directory is an error.
func Replace(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fault("write", path, ErrNotRegular)
	}
	fresh := beside(path)
	f, err := os.OpenFile(fresh, exclusive, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(f.Chmod(mode), fill(f, data)); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(fault("write", path, err), os.Remove(fresh))
	}
	return nil
}

// Save is Replace for a name that the user chose. A regular file keeps its mode. Whatever else is there and is no link to a
// regular file, such as a device or a named pipe, is an error: replacing /dev/null would harm everybody.
func Save(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	return SaveMode(path, data, mode)
}

// SaveMode is Save with the mode given, whatever was there before.
func SaveMode(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fault("write", path, ErrNotRegular)
	}
	return Replace(path, data, mode)
}
