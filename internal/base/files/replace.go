package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// exclusive holds the flags that open a file that does not exist yet.
const exclusive = os.O_WRONLY | os.O_CREATE | os.O_EXCL

// beside returns a new name in the directory of a file. The name begins with a dot, so that nothing reads the file before it is
// complete.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8])
}

// fill writes the content of a new file, waits until it is on disk, and closes the file.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Create creates a file that is complete from the moment it exists. The umask applies to mode. If the path exists, even as a
// dangling link, the error is fs.ErrExist.
func Create(path string, data []byte, mode fs.FileMode) error {
	fresh := beside(path)
	f, err := os.OpenFile(fresh, exclusive, mode)
	if err != nil {
		return err
	}
	if err := fill(f, data); err != nil {
		return errors.Join(fault("write", path, err), os.Remove(fresh))
	}
	// os.Link fails if the path exists; os.Rename would replace it.
	if err = os.Link(fresh, path); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(fresh))
	}
	// Some file systems do not support hard links.
	if _, exists := os.Lstat(path); exists == nil {
		err = fs.ErrExist
	} else if err = os.Rename(fresh, path); err == nil {
		return nil
	}
	return errors.Join(fault("write", path, err), os.Remove(fresh))
}

// Replace replaces the file at path in one step. Readers see the old file or the new one, and on a full disk the old file
// stays. Replace does not follow a link but replaces it. It fails for a directory.
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

// Save is like Replace, for a name that the user chose. A regular file keeps its mode. Save fails if the path exists and is
// neither a regular file nor a link to one, such as a device or a named pipe: replacing /dev/null would harm all users.
func Save(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	return SaveMode(path, data, mode)
}

// SaveMode is like Save, but always sets the given mode.
func SaveMode(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fault("write", path, ErrNotRegular)
	}
	return Replace(path, data, mode)
}
