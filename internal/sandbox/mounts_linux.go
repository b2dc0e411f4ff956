package sandbox

import (
	"errors"
	"fmt"
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
	inner := p.copyInner()
	defer closeCopies(inner)
	if err := p.writableTrees(r); err != nil {
		return err
	}
	for _, path := range p.Protected {
		if err := p.protect(path, r); err != nil {
			return err
		}
	}
	for _, path := range outermost(p.Hidden) {
		if err := p.hide(path, inner); err != nil {
			return err
		}
	}
	for path, fd := range inner {
		if err := p.attach(fd, path); err != nil {
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
	return nil
}

// outermost are the paths that lie in no other one of them, each once. What lies in a hidden tree is hidden with it; a second
// emptiness over the first would also cover what is shown there.
func outermost(paths []string) []string {
	sorted := slices.Sorted(slices.Values(paths))
	var out []string
	for _, path := range sorted {
		if covering(out, path) == "" {
			out = append(out, path)
		}
	}
	return out
}

// withoutMounts reports what Landlock alone does not cover.
func (r *Report) withoutMounts(p *Policy) {
	r.lacks("modes, owners and times of files outside of the writable trees can be changed: that needs a mount namespace")
	for _, path := range p.Protected {
		switch {
		case covering(p.ReadWrite, path) == "" || p.around(path) != "":
		case p.kindOf(path) != kindNone:
			r.lacks(path + " can be written by programs: that needs a mount namespace")
		case p.kindOf(filepath.Dir(path)) != kindNone:
			r.misses(path + " does not exist, so what is made there is not protected")
		default:
			r.misses(filepath.Dir(path) + " does not exist, so what is made there is not protected")
		}
	}
	for _, path := range p.Hidden {
		if p.shows(path) && p.kindOf(path) != kindNone {
			r.lacks(path + " can be reached: that needs a mount namespace")
		}
	}
}

// setTree changes a mount and all below it.
func setTree(path string, attr *unix.MountAttr) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, attr)
}

// writableTrees makes every mount read-only and mounts the writable trees over themselves as they were before. Each becomes a
// mount point, and so does every directory above it that lies in another writable tree: none of them can be renamed.
func (p *Policy) writableTrees(r *Report) error {
	trees := p.outermostFirst(p.ReadWrite)
	if slices.Contains(trees, "/") {
		return nil
	}
	copies := map[string]int{}
	defer func() { closeCopies(copies) }()
	for _, tree := range trees {
		fd, err := p.copyTree(tree)
		if err != nil {
			return err
		}
		copies[tree] = fd
	}
	if err := setTree("/", &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("making the file systems read-only: %w", err)
	}
	for _, tree := range trees {
		err := p.pin(filepath.Dir(tree))
		if err == nil {
			err = p.attach(copies[tree], tree)
		}
		if errors.Is(err, errReplaced) {
			r.lacks(tree + " is not granted: " + errReplaced.Error())
			p.ReadWrite = slices.DeleteFunc(slices.Clone(p.ReadWrite), func(path string) bool { return path == tree })
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func closeCopies(copies map[string]int) {
	for _, fd := range copies {
		_ = unix.Close(fd)
	}
}

// outermostFirst lists what exists, without repetition, so that no path comes after one inside of it.
func (p *Policy) outermostFirst(paths []string) []string {
	out := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return p.kindOf(path) == kindNone })
	slices.Sort(out)
	return slices.Compact(out)
}

// copyInner copies the mounts of the directories that are to stay writable inside of others that do not.
func (p *Policy) copyInner() map[string]int {
	copies := map[string]int{}
	for _, path := range p.Inner {
		if !slices.Contains(p.ReadWrite, path) {
			continue
		}
		// What is not there, or not what was granted, is not granted.
		if fd, err := p.copyTree(path); err == nil {
			copies[path] = fd
		}
	}
	return copies
}

// copyTree returns a detached copy of the mounts at and below a path. The caller closes it.
func (p *Policy) copyTree(path string) (int, error) {
	at, _, err := p.open(path)
	if err != nil {
		return -1, fmt.Errorf("copying the mount of %s: %w", path, err)
	}
	defer func() { _ = unix.Close(at) }()
	fd, err := unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, fmt.Errorf("copying the mount of %s: %w", path, err)
	}
	return fd, nil
}

// attach mounts a copy over a path, if that is what was granted.
func (p *Policy) attach(tree int, path string) error {
	at, _, err := p.open(path)
	if err != nil {
		return fmt.Errorf("mounting over %s: %w", path, err)
	}
	defer func() { _ = unix.Close(at) }()
	if err := unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("mounting over %s: %w", path, err)
	}
	return nil
}

// over mounts a path over itself, read-only if asked. It establishes that the path cannot be renamed or removed.
func (p *Policy) over(path string, readOnly bool) error {
	fd, err := p.copyTree(path)
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
	return p.attach(fd, path)
}

// protect makes a path inside a writable tree read-only, whether its directory is renamed or not. One that does not exist is
// made, as an empty directory, lest it be made by the wrong hands.
func (p *Policy) protect(path string, r *Report) error {
	if tree := covering(p.ReadWrite, path); tree == "" || p.kindOf(tree) == kindNone {
		return nil // what does not exist grants nothing
	}
	if outer := p.around(path); outer != "" && p.kindOf(outer) != kindNone {
		return nil // it is read-only with the one around it
	}
	parent := filepath.Dir(path)
	switch p.kindOf(parent) {
	case kindNone:
		r.misses(parent + " does not exist, so what is made there is not protected")
		return nil
	case kindFile:
		// A linked working tree of Git has a file there, which leads to the settings.
		if isMountPoint(parent) {
			return nil
		}
		return p.over(parent, true)
	case kindDir:
	}
	if p.kindOf(path) == kindNone && !p.make(path, r) {
		return nil
	}
	if err := p.pin(parent); err != nil {
		return err
	}
	return p.over(path, true)
}

// around is the protected path that another one lies in, or empty.
func (p *Policy) around(path string) string {
	return covering(slices.DeleteFunc(slices.Clone(p.Protected), func(other string) bool { return other == path }), path)
}

// make makes a protected directory that is missing and reports whether there is something to protect now. What Git has as a file
// cannot be made: an empty one, or a directory of that name, would keep Git from working. What is only named is not made either.
func (p *Policy) make(path string, r *Report) bool {
	if p.unmade(path) {
		r.misses(path + " does not exist, so what is made there is not protected")
		return false
	}
	err := makeIn(filepath.Dir(path), filepath.Base(path), 0o755)
	if err == nil && p.kindOf(path) == kindNone {
		err = errors.New("something that is neither a file nor a directory is there")
	}
	if err != nil {
		r.misses(path + " does not exist and is not protected: " + err.Error())
	}
	return err == nil
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
		if err := p.over(dir, false); err != nil {
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

// hide puts emptiness over a path that the policy would grant, with the directories in it that are to stay.
func (p *Policy) hide(path string, inner map[string]int) error {
	if !p.shows(path) {
		return nil
	}
	if p.kindOf(path) == kindNone {
		return nil
	}
	if err := p.pin(filepath.Dir(path)); err != nil {
		return err
	}
	fd, kind, err := p.open(path)
	if err != nil {
		return fmt.Errorf("hiding %s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if kind == kindFile {
		err = unix.Mount(os.DevNull, descriptorPath(fd), "", unix.MS_BIND, "")
	} else if err = unix.Mount("tmpfs", descriptorPath(fd), "tmpfs", flags, "size=4k,mode=0755"); err == nil {
		err = p.show(path, inner)
	}
	if err != nil {
		return fmt.Errorf("hiding %s: %w", path, err)
	}
	return nil
}

// show puts the directories that are to stay into the emptiness, which is read-only afterwards, and takes them from the map.
func (p *Policy) show(path string, inner map[string]int) error {
	for dir, tree := range inner {
		if !within(path, dir) || dir == path {
			continue
		}
		if err := makePlain(dir); err != nil {
			return err
		}
		at, err := openPlain(dir)
		if err != nil {
			return err
		}
		err = unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
		_ = unix.Close(at)
		if err != nil {
			return err
		}
		_ = unix.Close(tree)
		delete(inner, dir)
	}
	root, err := openPlain(path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(root) }()
	return unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
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
