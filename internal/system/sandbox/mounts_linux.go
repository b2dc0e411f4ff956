package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// arrangeMounts sets up the private mount namespace by the policy. It contains the granted trees only, and everything is read-only
// except the writable ones. Inside these trees, protected paths are read-only and hidden paths are empty. It adds the hidden and
// protected paths that cannot be covered to the report. The paths of the policy must be resolved.
func arrangeMounts(p *confinement, in Isolation, r *Report) error {
	private := in.Mounts && setTree("/", &unix.MountAttr{Propagation: unix.MS_PRIVATE}) == nil
	if !private {
		r.withoutMounts(p)
		return nil
	}
	var err error
	p.links = p.copyLinks()
	defer func() { closeCopies(p.links) }()
	if r.Hidden = !p.showsAll(); r.Hidden {
		r.Layers = slices.ContainsFunc(p.Covers, func(c Cover) bool { return c.Layer })
		r.Proc, err = p.newRoot(r, in.Processes)
	} else {
		if len(p.Covers) > 0 {
			r.lacks("temporary files and build caches are shared with other programs, and names outside are visible: " +
				"the whole file system is granted, or unix_sockets is on")
		}
		err = p.writableTrees(r)
	}
	if err != nil {
		return err
	}
	inner := p.copyInner()
	defer closeCopies(inner)
	for _, path := range p.Protected {
		if err := p.protect(path, r); err != nil {
			return err
		}
	}
	if err := p.hideAll(inner); err != nil {
		return err
	}
	for path, fd := range inner {
		if err := p.attach(fd, path); err != nil {
			return err
		}
	}
	r.Mounts = true
	if !r.Hidden {
		r.Proc = in.Processes && privateProc() == nil
	}
	if p.Exec && privateShm() == nil {
		p.ReadWrite = append(slices.Clone(p.ReadWrite), shmDir)
	}
	if r.Hidden {
		if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("making the root directory read-only: %w", err)
		}
	}
	if !r.Proc {
		r.lacks("there is no private /proc: programs that are started find none")
	}
	return nil
}

// outermost returns the paths that are not below another path of the list, each once. A path below a hidden tree is hidden with
// the tree. A second empty mount over the first would also cover the directories that are shown there.
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
func (r *Report) withoutMounts(p *confinement) {
	if len(p.Covers) > 0 {
		r.lacks("temporary files and build caches are shared with other programs: private ones need a mount namespace")
	}
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
		if w, ok := p.Withheld[path]; ok {
			r.lacks(path + " can be read by programs, such as those that Bash starts, although " + w.Why + ": that needs a mount namespace")
		} else if p.shows(path) && p.kindOf(path) != kindNone {
			r.lacks(path + " can be reached: that needs a mount namespace")
		}
	}
}

// setTree changes the attributes of a mount and of all mounts below it.
func setTree(path string, attr *unix.MountAttr) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, attr)
}

// writableTrees makes every mount read-only and mounts the writable trees over themselves with their previous attributes. Each
// tree becomes a mount point, and so does every directory above it that is inside another writable tree. No mount point can be
// renamed.
func (p *confinement) writableTrees(r *Report) error {
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

// outermostFirst returns the existing paths, sorted and without duplicates. Each path comes before the paths below it.
func (p *confinement) outermostFirst(paths []string) []string {
	out := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return p.kindOf(path) == kindNone })
	slices.Sort(out)
	return slices.Compact(out)
}

// copyInner copies the mounts of the directories that stay writable inside directories that do not, and of those that stay readable
// inside hidden ones.
func (p *confinement) copyInner() map[string]int {
	copies := map[string]int{}
	for _, path := range p.Inner {
		if !slices.Contains(p.ReadWrite, path) || p.around(path) == "" && covering(p.Hidden, path) == "" {
			continue
		}
		// A path that is missing, or that leads to something else than was granted, is not granted.
		if fd, err := p.copyTree(path); err == nil {
			copies[path] = fd
		}
	}
	for _, path := range p.Shown {
		fd, err := p.copyTree(path)
		if err != nil {
			continue
		}
		if readOnlyTree(fd) != nil {
			_ = unix.Close(fd)
			continue
		}
		copies[path] = fd
	}
	return copies
}

// readOnlyTree makes the copy of a mount read-only.
func readOnlyTree(fd int) error {
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	return unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)
}

// copyTree returns a detached copy of the mounts at and below a path. The caller must close it.
func (p *confinement) copyTree(path string) (int, error) {
	at, _, err := p.open(path)
	if err != nil {
		return -1, fmt.Errorf("copying the mount of %s: %w", path, err)
	}
	defer func() { _ = unix.Close(at) }()
	return copyMount(at, path)
}

// copyMount does the work of copyTree for an open file.
func copyMount(at int, path string) (int, error) {
	fd, err := unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, fmt.Errorf("copying the mount of %s: %w", path, err)
	}
	return fd, nil
}

// attach mounts a copy over a path, if the path still leads to what was granted.
func (p *confinement) attach(tree int, path string) error {
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

// over mounts a path over itself, read-only if readOnly is set. The path can no longer be renamed or removed.
func (p *confinement) over(path string, readOnly bool) error {
	fd, err := p.copyTree(path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if readOnly {
		if err := readOnlyTree(fd); err != nil {
			return fmt.Errorf("making %s read-only: %w", path, err)
		}
	}
	return p.attach(fd, path)
}

// protect makes a path inside a writable tree read-only. This also holds if a program tries to rename its directory. protect
// creates a missing path as an empty directory, so that no confined code can create it.
func (p *confinement) protect(path string, r *Report) error {
	if tree := covering(p.ReadWrite, path); tree == "" || p.kindOf(tree) == kindNone {
		return nil // a path that does not exist grants nothing
	}
	if r.Hidden && p.coverAround(path) != nil {
		return nil // what is there is not what runs outside
	}
	if outer := p.around(path); outer != "" && p.kindOf(outer) != kindNone {
		return nil // the protected path around it makes it read-only
	}
	parent := filepath.Dir(path)
	switch p.kindOf(parent) {
	case kindNone:
		r.misses(parent + " does not exist, so what is made there is not protected")
		return nil
	case kindFile:
		// In a linked working tree of Git, the parent is a file that names the directory of the settings.
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
	if link, ok := p.links[path]; ok {
		return p.attachLink(link, path)
	}
	return p.over(path, true)
}

// around returns the outermost protected path that contains the path, or an empty string. It is not the path itself.
func (p *confinement) around(path string) string {
	if p.protected == nil {
		p.protected = newTreeSet(p.Protected)
	}
	return p.protected.around(filepath.Dir(path))
}

// make creates a missing protected directory and reports whether the path now exists. It does not create what Git has as a
// file: an empty file, or a directory of that name, would keep Git from working. It does not create the paths in Named either.
func (p *confinement) make(path string, r *Report) bool {
	if p.Unmade(path) {
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

// pin mounts dir and the directories above it over themselves, as far as confined code could rename them.
func (p *confinement) pin(dir string) error {
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

// shmDir is the directory where programs keep semaphores and shared memory.
const shmDir = "/dev/shm"

// privateShm mounts a private directory over shmDir, so that programs do not use the user's. Some programs fail without it; a
// failure has no other effect.
func privateShm() error {
	return unix.Mount("tmpfs", shmDir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=256m,mode=1777")
}

// privateProc mounts a /proc that shows only the process namespace. A container may forbid it.
func privateProc() error {
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	return unix.Mount("proc", "/proc", "proc", flags, "")
}
