package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// procDir is where the kernel shows processes.
const procDir = "/proc"

// showsAll reports whether the whole file system stays visible: the policy grants all of it, or lets programs connect to sockets, which are
// found by name anywhere.
func (p *confinement) showsAll() bool {
	return p.UnixSockets || slices.Contains(p.ReadWrite, "/") || slices.Contains(p.ReadOnly, "/")
}

// tree is a granted tree on its way from the old root to the new one. fd is a detached copy of its mounts.
type tree struct {
	path string
	fd   int
	kind kind
	// cover is true if another directory is mounted here. replaced is true if that does not show what is granted below.
	cover, replaced bool
}

// newRoot replaces the root of this process by an empty directory that contains the granted trees, the links that lead to them, devices and
// /proc. Everything else has no name for this process. It reports whether there is a private /proc.
func (p *confinement) newRoot(r *Report, private bool) (proc bool, err error) {
	old, err := openPlain(procDir)
	if err != nil {
		return false, fmt.Errorf("opening %s: %w", procDir, err)
	}
	defer func() { _ = unix.Close(old) }()
	// The new root needs a place until it is the root. Nothing is granted by a path in /proc.
	root, err := mountNew(old, "tmpfs", "size", "1m", "mode", "0755")
	if err != nil {
		return false, fmt.Errorf("making a root directory: %w", err)
	}
	defer func() { _ = unix.Close(root) }()
	inner, err := p.fillRoot(root, r)
	defer func() {
		for _, t := range inner {
			_ = unix.Close(t.fd)
		}
	}()
	if err != nil {
		return false, err
	}
	if err := errors.Join(unix.Fchdir(root), unix.PivotRoot(".", ".")); err != nil {
		return false, fmt.Errorf("changing the root directory: %w", err)
	}
	// The old root is on top of the new one until it is detached. A new /proc can be mounted only while the old one exists.
	proc = private && mountProc(root) == nil
	if !proc {
		err = bindProc(root, old)
	}
	if err := errors.Join(err, unix.Unmount(".", unix.MNT_DETACH), unix.Chdir("/")); err != nil {
		return false, fmt.Errorf("leaving the old root directory: %w", err)
	}
	return proc, p.attachInner(inner, r)
}

// fillRoot mounts the granted trees into the new root, and creates the links and directories that programs expect. It returns the trees that
// belong into others: they are mounted later. The caller must close them, also after an error.
func (p *confinement) fillRoot(root int, r *Report) (inner []tree, err error) {
	var trees []tree
	writable := newTreeSet(p.ReadWrite)
	for _, path := range p.mountOrder() {
		around := enclosing(trees, path)
		if around != nil && !around.replaced && !writable[path] && p.covered(path) == nil {
			continue // it is readable there
		}
		t, err := p.copyGranted(path, writable[path])
		switch {
		case errors.Is(err, errReplaced):
			r.lacks(path + " is not granted: " + errReplaced.Error())
			continue
		case err != nil:
			return inner, err
		case t.kind == kindNone:
			continue // a path that does not exist grants nothing
		}
		trees = append(trees, t)
		if around != nil {
			inner = append(inner, t)
			continue
		}
		err = mountIn(root, t)
		_ = unix.Close(t.fd)
		if err != nil {
			return inner, err
		}
	}
	return inner, p.furnish(root, trees)
}

// copyGranted copies the mounts of a granted path, or of the directory that covers it.
func (p *confinement) copyGranted(path string, writable bool) (tree, error) {
	if c := p.covered(path); c != nil {
		fd, err := p.cover(*c)
		p.ReadWrite = appendNew(p.ReadWrite, path)
		return tree{path: path, fd: fd, kind: kindDir, cover: true, replaced: !c.Layer}, err
	}
	t := tree{path: path, fd: -1, kind: p.kindOf(path)}
	if t.kind == kindNone {
		return t, nil
	}
	var err error
	if t.fd, err = p.copyTree(path); err != nil || writable || isDevice(path) {
		return t, err
	}
	if err := readOnlyTree(t.fd); err != nil {
		_ = unix.Close(t.fd)
		return t, fmt.Errorf("making %s read-only: %w", path, err)
	}
	return t, nil
}

// furnish creates the links that lead to the trees, and the directories that this process needs even if they are not granted.
func (p *confinement) furnish(root int, trees []tree) error {
	inTree := func(path string) bool {
		return slices.ContainsFunc(trees, func(t tree) bool { return within(t.path, path) })
	}
	for _, link := range slices.Concat(p.Links, deviceLinks) {
		if inTree(link.Path) {
			continue
		}
		if err := linkIn(root, link); err != nil {
			return fmt.Errorf("creating the link %s: %w", link.Path, err)
		}
	}
	for _, dir := range []string{p.Workdir, procDir, shmDir} {
		if inTree(dir) {
			continue
		}
		if err := makeBelow(root, dir); err != nil {
			return fmt.Errorf("creating %s: %w", dir, err)
		}
	}
	return nil
}

// mountOrder returns the granted paths, each before those below it.
func (p *confinement) mountOrder() []string {
	all := slices.Concat(p.ReadWrite, p.ReadOnly, p.Own, devices)
	for _, c := range p.Covers {
		all = append(all, c.Path)
	}
	if p.Program != "" {
		all = append(all, p.Program)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// enclosing returns the innermost tree that contains the path, or nil.
func enclosing(trees []tree, path string) *tree {
	for i := range slices.Backward(trees) {
		if within(trees[i].path, path) && trees[i].path != path {
			return &trees[i]
		}
	}
	return nil
}

// mountNew mounts a new file system over a directory and returns its root. The caller must close it.
func mountNew(at int, name string, options ...string) (int, error) {
	fs, err := unix.Fsopen(name, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(fs) }()
	for pair := range slices.Chunk(options, 2) {
		if err := unix.FsconfigSetString(fs, pair[0], pair[1]); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return -1, err
	}
	if err := unix.MoveMount(fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// deviceLinks lists the names by which programs refer to their own descriptors.
var deviceLinks = []Link{
	{"/dev/fd", "/proc/self/fd"}, {"/dev/stdin", "/proc/self/fd/0"}, {"/dev/stdout", "/proc/self/fd/1"}, {"/dev/stderr", "/proc/self/fd/2"},
}

// mountIn mounts a tree at its path below a directory, and creates the mount point.
func mountIn(root int, t tree) error {
	at, err := makePoint(root, t.path, t.kind)
	if err == nil {
		err = unix.MoveMount(t.fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
		_ = unix.Close(at)
	}
	if err != nil {
		return fmt.Errorf("mounting %s: %w", t.path, err)
	}
	return nil
}

// attachInner mounts the trees that are inside of others. It must run in the new root.
func (p *confinement) attachInner(inner []tree, r *Report) error {
	for _, t := range inner {
		err := p.attachIn(t)
		if errors.Is(err, errReplaced) {
			r.lacks(t.path + " is not granted: " + errReplaced.Error())
			p.ReadWrite = slices.DeleteFunc(slices.Clone(p.ReadWrite), func(path string) bool { return path == t.path })
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attachIn mounts a tree inside of another. In a directory that covers another one, the mount point may be missing, and it is not what was
// granted.
func (p *confinement) attachIn(t tree) error {
	if !t.cover && p.coverAround(filepath.Dir(t.path)) == nil {
		if err := p.pin(filepath.Dir(t.path)); err != nil {
			return err
		}
		return p.attach(t.fd, t.path)
	}
	at, err := makePoint(unix.AT_FDCWD, t.path, t.kind)
	if err != nil {
		return fmt.Errorf("mounting %s: %w", t.path, err)
	}
	_ = unix.Close(at)
	if err := p.pin(filepath.Dir(t.path)); err != nil {
		return err
	}
	return mountIn(unix.AT_FDCWD, t)
}

// makePoint returns the file or directory at a path below root, and creates it with its parents. No part may be a link. The caller must
// close it.
func makePoint(root int, path string, kind kind) (int, error) {
	fd, err := openBelow(root, path)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	if err := makeBelow(root, filepath.Dir(path)); err != nil {
		return -1, err
	}
	name := relative(path)
	if kind == kindDir {
		err = unix.Mkdirat(root, name, 0o755)
	} else {
		err = unix.Mknodat(root, name, unix.S_IFREG|0o644, 0)
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return openBelow(root, path)
}

// openBelow opens a path below root for reference only. It fails if any part of it is a link.
func openBelow(root int, path string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	}
	for {
		fd, err := unix.Openat2(root, relative(path), &how)
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// relative returns an absolute path as one that is relative to the root.
func relative(path string) string {
	if path = strings.TrimPrefix(path, "/"); path == "" {
		return "."
	}
	return path
}

// makeBelow creates a directory and its parents below root.
func makeBelow(root int, dir string) error {
	if dir == "/" {
		return nil
	}
	err := unix.Mkdirat(root, relative(dir), 0o755)
	if errors.Is(err, unix.ENOENT) {
		if err := makeBelow(root, filepath.Dir(dir)); err != nil {
			return err
		}
		err = unix.Mkdirat(root, relative(dir), 0o755)
	}
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}

func linkIn(root int, link Link) error {
	if err := makeBelow(root, filepath.Dir(link.Path)); err != nil {
		return err
	}
	if err := unix.Symlinkat(link.Target, root, relative(link.Path)); !errors.Is(err, unix.EEXIST) {
		return err
	}
	return nil
}

// mountProc mounts a /proc that shows only the process namespace. A container may forbid it.
func mountProc(root int) error {
	at, err := openBelow(root, procDir)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	fd, err := mountNew(at, "proc")
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// bindProc mounts the /proc of the old root.
func bindProc(root, old int) error {
	fd, err := copyMount(old, procDir)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return mountIn(root, tree{path: procDir, fd: fd, kind: kindDir})
}
