package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// errBusy means that another program holds the lock of a file of settings.
var errBusy = errors.New("the file is locked; it is written after the next call if the lock is gone then")

// errTooLarge means that aura does not read, or make, such a file of settings.
var errTooLarge = fmt.Errorf("it is larger than %d bytes", maxGitConfig)

// gitFile is a file of settings that is open, in its directory.
type gitFile struct {
	*os.File
	dir   int
	state fileState
	data  []byte
}

func (f *gitFile) close() { _ = errors.Join(f.Close(), unix.Close(f.dir)) }

// openGitFile opens and reads a file of settings. No part of its path may be a link. The caller must close it.
func openGitFile(path string, flags int) (*gitFile, error) {
	dir, err := openPlain(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	var stat unix.Stat_t
	if err = unix.Fstatat(dir, filepath.Base(path), &stat, unix.AT_SYMLINK_NOFOLLOW); err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errors.New("it is not a regular file")
	}
	if err == nil && stat.Nlink > 1 {
		err = errors.New("it has several names")
	}
	fd := -1
	if err == nil {
		fd, err = unix.Openat(dir, filepath.Base(path), flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), unix.Close(dir))
	}
	f := &gitFile{File: os.NewFile(uintptr(fd), path), dir: dir}
	if err = unix.Fstat(fd, &stat); err == nil {
		f.state = stateOf(&stat)
		f.data, err = io.ReadAll(io.LimitReader(f, maxGitConfig+1))
	}
	if err == nil && len(f.data) > maxGitConfig {
		err = errTooLarge
	}
	if err != nil {
		f.close()
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return f, nil
}

func readGitConfig(path string) ([]byte, fileState, error) {
	f, err := openGitFile(path, unix.O_RDONLY)
	if err != nil {
		return nil, fileState{}, err
	}
	defer f.close()
	return f.data, f.state, nil
}

// editGitConfig changes a file of settings while it holds Git's lock. It writes the file in place: if another file took its name, the kernel would
// drop what is mounted over it in the processes that run, and these could write the settings then.
func editGitConfig(path string, change func([]byte) ([]byte, error)) error {
	f, err := openGitFile(path, unix.O_RDWR)
	if err != nil {
		return err
	}
	defer f.close()
	// A change that is refused as a whole needs no lock.
	if text, err := change(f.data); err != nil || bytes.Equal(text, f.data) {
		return err
	}
	lock := filepath.Base(path) + lockSuffix
	held, err := unix.Openat(f.dir, lock, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("writing %s: %w", path, errBusy)
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", path, err)
	}
	defer func() { _ = errors.Join(unix.Close(held), unix.Unlinkat(f.dir, lock, 0)) }()
	// Another program may have written it before the lock was there.
	now, err := openGitFile(path, unix.O_RDWR)
	if err != nil {
		return err
	}
	defer now.close()
	text, err := change(now.data)
	if err != nil {
		return err
	}
	return now.overwrite(text)
}

// overwrite replaces the content. Whoever reads the file meanwhile finds the settings complete: the rest of a longer file becomes empty lines
// with the same write, and only then the file gets shorter.
func (f *gitFile) overwrite(text []byte) error {
	padded := append(bytes.Clone(text), bytes.Repeat([]byte("\n"), max(0, len(f.data)-len(text)))...)
	_, err := f.WriteAt(padded, 0)
	if err == nil {
		err = f.Truncate(int64(len(text)))
	}
	if err != nil {
		_, back := f.WriteAt(f.data, 0)
		return fmt.Errorf("writing %s: %w", f.Name(), errors.Join(err, back, f.Truncate(int64(len(f.data)))))
	}
	return nil
}
