package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// makePrivateTemp creates a private directory of this process and locks it, once. Then it removes the directories beside it that no
// process has locked.
func makePrivateTemp(path string) error {
	private.mu.Lock()
	defer private.mu.Unlock()
	if path == "" || private.locks[path] != nil {
		return nil
	}
	for {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("creating a directory for temporary files: %w", err)
		}
		lock, err := lockDir(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process took it for one of a dead process
		}
		if err != nil {
			return fmt.Errorf("creating a directory for temporary files: %w", err)
		}
		private.locks[path] = lock
		break
	}
	root := filepath.Dir(path)
	if root == systemTemp {
		return nil
	}
	// What cannot be removed now is tried again at the next start.
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if lock, err := lockDir(dir); err == nil {
			_ = RemoveTree(dir)
			_ = lock.Close()
		}
	}
	return nil
}

// lockDir locks a directory for this process until the file is closed. It fails if another process has locked it, and with fs.ErrNotExist
// if it was removed.
func lockDir(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	f := os.NewFile(uintptr(fd), dir)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(os.NewSyscallError("flock", err), f.Close())
	}
	mine, err1 := f.Stat()
	now, err2 := os.Lstat(dir)
	if err := errors.Join(err1, err2); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !os.SameFile(mine, now) {
		return nil, errors.Join(fs.ErrNotExist, f.Close())
	}
	return f, nil
}

// cover returns a copy of the directory that is mounted over a path of the policy, and makes it what the path leads to. The caller must
// close the copy.
func (p *confinement) cover(c Cover) (int, error) {
	if c.Layer {
		layer := p.pins[layerName(c.Path)]
		p.pins[c.Path] = layer
		return copyMount(layer.fd, c.Path)
	}
	at, kind, err := p.open(c.From)
	if err == nil && kind != kindDir {
		err = unix.ENOTDIR
	}
	if err != nil {
		return -1, fmt.Errorf("mounting over %s: %w", c.Path, err)
	}
	id, _, err := identify(at)
	fd := -1
	if err == nil {
		fd, err = copyMount(at, c.From)
	}
	if err != nil {
		_ = unix.Close(at)
		return -1, fmt.Errorf("mounting over %s: %w", c.Path, err)
	}
	// The rules for files name what a path leads to by its descriptor.
	p.files = append(slices.Clip(p.files), os.NewFile(uintptr(at), c.Path))
	p.pins[c.Path] = pin{fd: at, id: id, kind: kind}
	return fd, nil
}
