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

// arrangeMounts gives the private mount namespace the shape of the policy: everything is read-only but the writable trees, and
// inside those the protected paths are read-only and the hidden ones are empty. It takes the hidden paths and the protected
// ones that cannot be covered into the report. The policy's paths are resolved.
func arrangeMounts(p *Policy, in Isolation, r *Report) error {
	private := in.Mounts && setTree("/", &unix.MountAttr{Propagation: unix.MS_PRIVATE}) == nil
	if !private {
		r.withoutMounts(p)
		return nil
	}
	workdir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	if err := p.writableTrees(); err != nil {
		return err
	}
	for _, path := range p.Protected {
		if err := p.protect(path, r); err != nil {
			return err
		}
	}
	for _, path := range p.Hidden {
		if err := p.hide(path); err != nil {
			return err
		}
	}
	r.Mounts, r.Proc = true, in.Processes && privateProc() == nil
	if p.Exec && privateShm() == nil {
		p.ReadWrite = append(slices.Clone(p.ReadWrite), shmDir)
	}
	if !r.Proc {
		r.lacks("there is no private /proc: programs that are started find none")
	}
	// The present one belongs to a mount that is read-only now.
	if err := os.Chdir(workdir); err != nil {
		return fmt.Errorf("entering the working directory again: %w", err)
	}
	return nil
}

// withoutMounts tells what Landlock alone does not cover.
func (r *Report) withoutMounts(p *Policy) {
	r.lacks("modes, owners and times of files outside of the writable trees can be changed: that needs a mount namespace")
	for _, path := range p.Protected {
		if covering(p.ReadWrite, path) != "" && kindOf(path) != kindNone {
			r.lacks(path + " can be written by programs: that needs a mount namespace")
		}
	}
	for _, path := range p.Hidden {
		if p.shows(path) && kindOf(path) != kindNone {
			r.lacks(path + " can be reached: that needs a mount namespace")
		}
	}
}

// setTree changes a mount and all below it.
func setTree(path string, attr *unix.MountAttr) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, attr)
}

// writableTrees makes every mount read-only and mounts the writable trees over themselves as they were before. Each becomes a
// mount point, so that it cannot be renamed either.
func (p *Policy) writableTrees() error {
	trees := outermostFirst(p.ReadWrite)
	if slices.Contains(trees, "/") {
		return nil
	}
	copies := make([]int, 0, len(trees))
	defer func() {
		for _, fd := range copies {
			_ = unix.Close(fd)
		}
	}()
	for _, tree := range trees {
		fd, err := copyTree(tree)
		if err != nil {
			return err
		}
		copies = append(copies, fd)
	}
	if err := setTree("/", &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("making the file systems read-only: %w", err)
	}
	for i, tree := range trees {
		if err := attach(copies[i], tree); err != nil {
			return err
		}
	}
	return nil
}

// outermostFirst lists what exists, without repetition, so that no path comes after one inside of it.
func outermostFirst(paths []string) []string {
	out := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return kindOf(path) == kindNone })
	slices.Sort(out)
	return slices.Compact(out)
}

// copyTree returns a detached copy of the mounts at and below a path. The caller closes it.
func copyTree(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path,
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return -1, fmt.Errorf("copying the mount of %s: %w", path, err)
	}
	return fd, nil
}

func attach(tree int, path string) error {
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mounting over %s: %w", path, err)
	}
	return nil
}

// over mounts a path over itself, read-only if asked. It establishes that the path cannot be renamed or removed.
func over(path string, readOnly bool) error {
	fd, err := copyTree(path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if readOnly {
		attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr); err != nil {
			return fmt.Errorf("making %s read-only: %w", path, err)
		}
	}
	return attach(fd, path)
}

// protect makes a path inside a writable tree read-only, whether its directory is renamed or not. One that does not exist is
// made, as an empty directory, lest it be made by the wrong hands.
func (p *Policy) protect(path string, r *Report) error {
	if kindOf(covering(p.ReadWrite, path)) == kindNone {
		return nil // what does not exist grants nothing
	}
	parent := filepath.Dir(path)
	switch kindOf(parent) {
	case kindNone:
		r.misses(parent + " does not exist, so what is made there is not protected")
		return nil
	case kindFile:
		// A linked working tree of Git has a file there, which leads to the settings.
		if isMountPoint(parent) {
			return nil
		}
		return over(parent, true)
	case kindDir:
	}
	if kindOf(path) == kindNone && !p.make(path, r) {
		return nil
	}
	if err := p.pin(parent); err != nil {
		return err
	}
	return over(path, true)
}

// make makes a protected directory that is missing and reports whether there is something to protect now. What Git has as a file
// cannot be made: an empty one, or a directory of that name, would keep Git from working.
func (p *Policy) make(path string, r *Report) bool {
	if isGitFile(path) {
		r.misses(path + " does not exist, so what is made there is not protected")
		return false
	}
	err := os.Mkdir(path, 0o755)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		r.misses(path + " does not exist and is not protected: " + err.Error())
	}
	return err == nil
}

// replaceable lists the symbolic links on the way to protected paths that lie in a writable tree. Nothing can be mounted over a
// link. The policy's paths are not resolved yet.
func (p Policy) replaceable() []string {
	known := Policy{ReadWrite: p.ReadWrite, Protected: p.Protected}.resolved()
	replaceable := func(path string) bool {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return false
		}
		dir := resolve(filepath.Dir(path))
		return covering(known.ReadWrite, dir) != "" && covering(known.Protected, dir) == ""
	}
	var links []string
	for _, path := range p.Protected {
		for ; path != filepath.Dir(path); path = filepath.Dir(path) {
			if replaceable(path) {
				links = append(links, path)
			}
		}
	}
	return links
}

// pin mounts the directories above a path over themselves, as far as somebody could rename them.
func (p *Policy) pin(dir string) error {
	var chain []string
	for ; covering(p.ReadWrite, filepath.Dir(dir)) != "" && dir != "/"; dir = filepath.Dir(dir) {
		chain = append(chain, dir)
	}
	for _, dir := range slices.Backward(chain) {
		if isMountPoint(dir) {
			continue
		}
		if err := over(dir, false); err != nil {
			return err
		}
	}
	return nil
}

// isMountPoint takes a path without links.
func isMountPoint(path string) bool {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &stat)
	return err == nil && stat.Attributes_mask&stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

// shows reports whether a path would be within reach if it were not hidden. Sockets can be connected to by their names alone.
func (p *Policy) shows(path string) bool { return p.UnixSockets || p.reach(path) != "" }

// hide puts emptiness over a path that the policy would grant.
func (p *Policy) hide(path string) error {
	if !p.shows(path) {
		return nil
	}
	kind := kindOf(path)
	if kind == kindNone {
		return nil
	}
	if err := p.pin(filepath.Dir(path)); err != nil {
		return err
	}
	var err error
	const flags = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if kind == kindDir {
		err = unix.Mount("tmpfs", path, "tmpfs", flags, "size=4k,mode=0555")
	} else {
		err = unix.Mount(os.DevNull, path, "", unix.MS_BIND, "")
	}
	if err != nil {
		return fmt.Errorf("hiding %s: %w", path, err)
	}
	return nil
}

// shmDir is where programs keep semaphores and memory that they share.
const shmDir = "/dev/shm"

// privateShm gives programs a place for that which is not the user's. Without it some fail, and nothing else is lost.
func privateShm() error {
	return unix.Mount("tmpfs", shmDir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=256m,mode=1777")
}

// privateProc mounts a /proc that shows the process namespace and nothing else. A container may forbid it.
func privateProc() error {
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	return unix.Mount("proc", "/proc", "proc", flags, "")
}
