package planted

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxDepth is how many levels of directories are copied or measured.
const maxDepth = 256

// moveIn moves a path to the directory of an entry, and returns the size. Confined code may still run: every directory on the way is
// opened without following links, and what is moved is named relative to the last of them.
func moveIn(path, dir string) (int64, error) {
	from, err := openParent(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(from) }()
	to, err := openDir(unix.AT_FDCWD, dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(to) }()
	return move(from, filepath.Base(path), to, itemName)
}

// moveOut moves what an entry holds to a path at which there is nothing.
func moveOut(item, path string) error {
	from, err := openDir(unix.AT_FDCWD, filepath.Dir(item))
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(from) }()
	to, err := openParent(path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(to) }()
	_, err = move(from, filepath.Base(item), to, filepath.Base(path))
	if errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("%w there; move or remove that first", err)
	}
	return err
}

// move renames an entry. On another file system, it renames the entry to a name that nothing looks for, copies it and removes it.
// Nothing is replaced.
func move(from int, name string, to int, as string) (int64, error) {
	err := unix.Renameat2(from, name, to, as, unix.RENAME_NOREPLACE)
	if err == nil {
		return measure(to, as, maxDepth), nil
	}
	if !errors.Is(err, unix.EXDEV) {
		return 0, err
	}
	aside := ".aura-moving-" + rand.Text()
	if err := unix.Renameat2(from, name, from, aside, unix.RENAME_NOREPLACE); err != nil {
		return 0, err
	}
	fresh := ".aura-moving-" + rand.Text()
	left := int64(maxStoredBytes)
	err = copyEntry(from, aside, to, fresh, maxDepth, &left)
	if err == nil {
		err = unix.Renameat2(to, fresh, to, as, unix.RENAME_NOREPLACE)
	}
	if err != nil {
		removeEntry(to, fresh, maxDepth)
		return 0, errors.Join(err, unix.Renameat2(from, aside, from, name, unix.RENAME_NOREPLACE))
	}
	removeEntry(from, aside, maxDepth)
	return maxStoredBytes - left, nil
}

// openParent opens the directory of a path. No part of the path may be a link.
func openParent(path string) (int, error) {
	fd, err := openDir(unix.AT_FDCWD, filepath.Dir(path))
	if err != nil {
		return 0, fmt.Errorf("opening %s: %w", filepath.Dir(path), err)
	}
	return fd, nil
}

func openDir(at int, path string) (int, error) {
	return unix.Openat2(at, path, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NONBLOCK, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
}

// namesIn lists a directory directly below another one.
func namesIn(at int, name string) (dir *os.File, names []string, err error) {
	fd, err := openDir(at, name)
	if err != nil {
		return nil, nil, err
	}
	dir = os.NewFile(uintptr(fd), name)
	names, err = dir.Readdirnames(-1)
	return dir, names, err
}

// measure returns the size of all files.
func measure(at int, name string, depth int) int64 {
	var st unix.Stat_t
	if depth == 0 || unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return 0
	}
	size := max(st.Size, 0)
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return size
	}
	dir, names, err := namesIn(at, name)
	if dir == nil || err != nil {
		return size
	}
	defer func() { _ = dir.Close() }()
	for _, sub := range names {
		size += measure(int(dir.Fd()), sub, depth-1)
	}
	return size
}

// copyEntry copies files, directories and links. It leaves out everything else. left is how many bytes may be copied.
func copyEntry(from int, name string, to int, as string, depth int, left *int64) error {
	var st unix.Stat_t
	if err := unix.Fstatat(from, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if depth == 0 {
		return errors.New("it has too many levels of directories")
	}
	mode := st.Mode & 0o777
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return copyFile(from, name, to, as, mode, left)
	case unix.S_IFLNK:
		buf := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(from, name, buf)
		if err != nil {
			return err
		}
		return unix.Symlinkat(string(buf[:n]), to, as)
	case unix.S_IFDIR:
		return copyDir(from, name, to, as, depth, left)
	default:
		return nil
	}
}

func copyDir(from int, name string, to int, as string, depth int, left *int64) error {
	dir, names, err := namesIn(from, name)
	if dir != nil {
		defer func() { _ = dir.Close() }()
	}
	if err == nil {
		err = unix.Mkdirat(to, as, 0o700)
	}
	if err != nil {
		return err
	}
	fresh, err := openDir(to, as)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fresh) }()
	for _, sub := range names {
		if err := copyEntry(int(dir.Fd()), sub, fresh, sub, depth-1, left); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from int, name string, to int, as string, mode uint32, left *int64) (err error) {
	in, err := openFile(from, name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := openFile(to, as, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, *left+1))
	if *left -= n; *left < 0 && err == nil {
		err = fmt.Errorf("it is larger than %d bytes", int64(maxStoredBytes))
	}
	return errors.Join(err, out.Close())
}

func openFile(at int, name string, flags int, mode uint32) (*os.File, error) {
	fd, err := unix.Openat(at, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, mode)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// removeEntry removes what was copied. What it cannot remove has a name that nothing looks for.
func removeEntry(at int, name string, depth int) {
	if depth == 0 || unix.Unlinkat(at, name, 0) == nil {
		return
	}
	dir, names, _ := namesIn(at, name)
	if dir != nil {
		for _, sub := range names {
			removeEntry(int(dir.Fd()), sub, depth-1)
		}
		_ = dir.Close()
	}
	_ = unix.Unlinkat(at, name, unix.AT_REMOVEDIR)
}

// putBack writes a file at a path at which there is nothing.
func putBack(path string, data []byte, mode uint32) error {
	parent, err := openParent(path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(parent) }()
	f, err := openFile(parent, filepath.Base(path), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
