package sandbox

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// openPlain opens a path for reference only. It fails if any part of the path is a symbolic link. The caller closes the
// descriptor.
func openPlain(path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
			// Some containers know no such call.
			return openSteps(path)
		default:
			return fd, err
		}
	}
}

// openSteps is openPlain, one directory after the other.
func openSteps(path string) (int, error) {
	const flags = unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW
	start := "/"
	if !filepath.IsAbs(path) {
		start = "."
	}
	fd, err := unix.Open(start, flags, 0)
	for part := range strings.SplitSeq(filepath.Clean(path), "/") {
		if err != nil {
			return -1, err
		}
		if part == "" {
			continue
		}
		var next int
		next, err = unix.Openat(fd, part, flags, 0)
		_ = unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = next
		var stat unix.Stat_t
		if err = unix.Fstat(fd, &stat); err == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = unix.ELOOP
		}
		if err != nil {
			_ = unix.Close(fd)
		}
	}
	return fd, err
}

// makePlain makes a directory with those above it. No part of the path may be a link.
func makePlain(path string) error {
	fd, err := openPlain(path)
	if err == nil {
		return unix.Close(fd)
	}
	if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
		return err
	}
	if err := makePlain(filepath.Dir(path)); err != nil {
		return err
	}
	return makeIn(filepath.Dir(path), filepath.Base(path), 0o700)
}

// makeIn makes one directory in another one.
func makeIn(dir, name string, mode uint32) error {
	fd, err := openPlain(dir)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Mkdirat(fd, name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// kind is what a path leads to, as far as rules differ.
type kind int

const (
	kindNone kind = iota
	kindFile
	kindDir
)

// identify tells what a descriptor refers to.
func identify(fd int) (Identity, kind, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return Identity{}, kindNone, err
	}
	id := Identity{Device: uint64(stat.Dev), Inode: stat.Ino} //nolint:unconvert // its type differs between architectures
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		return id, kindDir, nil
	}
	return id, kindFile, nil
}

// errReplaced means that a path leads to something else than it did when it was granted.
var errReplaced = errors.New("something else was put in its place since it was granted")

// open opens a path of the policy, which has no links. The caller closes the descriptor.
func (p *Policy) open(path string) (int, kind, error) {
	fd, err := openPlain(path)
	if err != nil {
		return -1, kindNone, err
	}
	id, kind, err := identify(fd)
	if want, ok := p.Identities[path]; err == nil && ok && want != id {
		err = errReplaced
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, kindNone, err
	}
	return fd, kind, nil
}

// kindOf is kindNone also for what this process may not even look up, and for what is not what was granted: there is nothing to
// grant then.
func (p *Policy) kindOf(path string) kind {
	fd, kind, err := p.open(path)
	if err == nil {
		_ = unix.Close(fd)
	}
	return kind
}

// hold drops the grants that no longer lead to what was opened, and reports them.
func (p *Policy) hold(r *Report) {
	for _, list := range []*[]string{&p.ReadWrite, &p.ReadOnly, &p.Own} {
		kept := make([]string, 0, len(*list))
		for _, path := range *list {
			_, pinned := p.Identities[path]
			fd, _, err := -1, kindNone, error(nil)
			if pinned {
				fd, _, err = p.open(path)
			}
			if err != nil {
				r.lacks(path + " is not granted: " + explainOpen(err).Error())
				continue
			}
			if fd >= 0 {
				_ = unix.Close(fd)
			}
			kept = append(kept, path)
		}
		*list = kept
	}
}
