package scaffold

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The modes of what is created. There are no secrets in it.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// create makes a file that is complete from the moment it exists. One that is there already is fs.ErrExist.
func create(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	temporary, err := beside(path, content, fileMode)
	if err != nil {
		return err
	}
	// A link fails where a file exists; renaming would replace it.
	err = os.Link(temporary, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(temporary))
	}
	// Some file systems have no links.
	if _, err := os.Lstat(path); err == nil {
		return errors.Join(fs.ErrExist, os.Remove(temporary))
	}
	return rename(temporary, path)
}

func rename(temporary, path string) error {
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// beside writes a file with a name of its own into the folder of another. The name is hidden, so nothing reads it as
// configuration.
func beside(path, content string, mode fs.FileMode) (string, error) {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8])
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}
