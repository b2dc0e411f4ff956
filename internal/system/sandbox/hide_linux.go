package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// hideAll covers the hidden paths. Those that rules hide come last, because covering them needs /proc.
func (p *confinement) hideAll(inner map[string]int) error {
	var withheld []string
	for _, path := range outermost(p.Hidden) {
		if _, ok := p.Withheld[path]; ok {
			withheld = append(withheld, path)
			continue
		}
		if err := p.hide(path, inner); err != nil {
			return err
		}
	}
	if len(withheld) == 0 {
		return nil
	}
	blank, err := newBlank()
	if err != nil {
		return fmt.Errorf("making a file to cover hidden files with: %w", err)
	}
	for _, path := range withheld {
		if err = p.withhold(path, blank, inner); err != nil {
			err = fmt.Errorf("hiding %s: %w", path, err)
			break
		}
	}
	return errors.Join(err, blank.close())
}

// withhold covers what rules hide. Nobody can read the file that covers a file, so that a program does not take it for an empty one.
func (p *confinement) withhold(path string, blank blank, inner map[string]int) error {
	w := p.Withheld[path]
	if w.Placed {
		if err := p.pin(filepath.Dir(path)); err != nil {
			return err
		}
	}
	at, kind, err := p.open(path)
	if err != nil {
		return errors.Join(errMoved, err)
	}
	defer func() { _ = unix.Close(at) }()
	switch id, _, err := identify(at); {
	case err != nil:
		return err
	case id != identity{device: w.Device, inode: w.Inode}:
		return errMoved
	}
	if kind == kindFile {
		return blank.cover(at)
	}
	root, err := mountNew(at, "tmpfs", "size", "4k", "mode", "0755")
	if err != nil {
		return err
	}
	_ = unix.Close(root)
	return p.show(path, inner)
}

// errMoved means that a hidden file is no longer where it was found.
var errMoved = errors.New("it was moved or replaced in the meantime; try again")

// blank is an empty file without permissions. Its file system has a place while files are covered, because a mount without a place cannot be
// copied before Linux 6.15.
type blank struct{ fd int }

// newBlank mounts the file over /proc. The caller must call close.
func newBlank() (blank, error) {
	at, err := openPlain(procDir)
	if err != nil {
		return blank{}, err
	}
	defer func() { _ = unix.Close(at) }()
	root, err := mountNew(at, "tmpfs", "size", "4k", "mode", "0700")
	if err != nil {
		return blank{}, err
	}
	defer func() { _ = unix.Close(root) }()
	const name = "blank"
	if err := unix.Mknodat(root, name, unix.S_IFREG, 0); err != nil {
		return blank{}, err
	}
	fd, err := unix.Openat(root, name, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	return blank{fd}, err
}

// cover mounts the file over another one, read-only.
func (b blank) cover(at int) error {
	fd, err := unix.OpenTree(b.fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := readOnlyTree(fd); err != nil {
		return err
	}
	return unix.MoveMount(fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// close takes the place of the file away. What is covered stays covered.
func (b blank) close() error {
	return errors.Join(unix.Close(b.fd), unix.Unmount(procDir, unix.MNT_DETACH))
}

// shows reports whether a path would be within reach if it were not hidden. A program can connect to a socket by its name
// alone.
func (p *confinement) shows(path string) bool { return p.UnixSockets || p.reach(path) != "" }

// hide mounts an empty file or directory over a path that the policy would grant. It keeps the directories of inner visible.
func (p *confinement) hide(path string, inner map[string]int) error {
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

// show mounts the directories of inner that are below path into the empty directory and removes them from the map. Then it
// makes the empty directory read-only.
func (p *confinement) show(path string, inner map[string]int) error {
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
