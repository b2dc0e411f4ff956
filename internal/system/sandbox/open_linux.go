package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// openPlain opens a path for reference only (O_PATH). It fails if any part of the path is a symbolic link. The caller must
// close the descriptor.
func openPlain(path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
			// Some containers do not support openat2.
			return openSteps(path)
		default:
			return fd, err
		}
	}
}

// isPlain reports whether the kernel meets no symbolic link on the way to a path. It asks once for the whole path; reading the links one by one
// takes a system call for each part. It returns false if it cannot tell. A path with .. is not asked about: what follows a missing part could be a link.
func isPlain(path string) bool {
	if !filepath.IsAbs(path) || path != filepath.Clean(path) {
		return false
	}
	// Without O_NOFOLLOW, a link at the end counts too.
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	switch {
	case err == nil:
		_ = unix.Close(fd)
		return true
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EACCES):
		// The way ends at a part that no link can be read behind, and there was none before it.
		return true
	default:
		return false
	}
}

// openSteps does the work of openPlain by opening one directory after the other.
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

// makePlain creates a directory and its parents. No part of the path may be a link.
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

// makeIn creates a directory in another directory, unless it exists.
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

// identify returns the identity and the kind of the file that a descriptor refers to.
func identify(fd int) (identity, kind, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return identity{}, kindNone, err
	}
	id := identity{device: uint64(stat.Dev), inode: stat.Ino} //nolint:unconvert // its type differs between architectures
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		return id, kindDir, nil
	}
	return id, kindFile, nil
}

// isMountPoint reports whether a path is a mount point. The path must not contain links.
func isMountPoint(path string) bool {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &stat)
	return err == nil && stat.Attributes_mask&stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

// errReplaced means that a path no longer leads to what was granted.
var errReplaced = errors.New("something else was put in its place since it was granted")

// identifyFiles identifies the files that this process got. They stay open until the policy is enforced, so that no other file
// gets the identity of one of them.
func (p *confinement) identifyFiles() error {
	if len(p.files) != len(p.Pinned) {
		return fmt.Errorf("got %d descriptors for %d paths", len(p.files), len(p.Pinned))
	}
	p.pins = make(map[string]pin, len(p.files))
	for i, path := range p.Pinned {
		fd := int(p.files[i].Fd())
		id, kind, err := identify(fd)
		if err != nil {
			return fmt.Errorf("looking at the descriptor of %s: %w", path, err)
		}
		p.pins[path] = pin{fd: fd, id: id, kind: kind}
	}
	return nil
}

// closeFiles closes the files that this process got.
func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// open opens a path of the policy. The path must not contain links. The caller must close the descriptor.
func (p *confinement) open(path string) (int, kind, error) {
	fd, err := openPlain(path)
	if err != nil {
		return -1, kindNone, err
	}
	id, kind, err := identify(fd)
	if want, ok := p.pins[path]; err == nil && ok && want.id != id {
		err = errReplaced
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, kindNone, err
	}
	return fd, kind, nil
}

// kindOf returns the kind of a path of the policy. It returns kindNone if this process may not look up the path, or if the path
// no longer leads to what was granted: nothing can be granted then.
func (p *confinement) kindOf(path string) kind {
	fd, kind, err := p.open(path)
	if err == nil {
		_ = unix.Close(fd)
	}
	return kind
}

// hold drops the grants whose paths no longer lead to what was opened, and reports them.
func (p *confinement) hold(r *Report) {
	for _, list := range []*[]string{&p.ReadWrite, &p.ReadOnly, &p.Own} {
		kept := make([]string, 0, len(*list))
		for _, path := range *list {
			_, pinned := p.pins[path]
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
