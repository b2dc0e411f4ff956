package install

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
)

// copyLocal copies a directory. It leaves out .git, compiled Python modules and the home that is installed into, which may be located within the
// directory.
func copyLocal(ctx context.Context, from, to, home string) error {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return fmt.Errorf("reading %s: %w; name a directory that is there, or a URL such as https://HOST/PATH", from, err)
	case !info.IsDir():
		return fmt.Errorf("reading %s: it is not a directory", from)
	}
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	if files.Within(home, real) && real == home {
		return fmt.Errorf("%s is the directory to install into", from)
	}
	root, err := files.OpenRoot(real)
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	defer func() { _ = root.Close() }()
	w, err := newWriter(to)
	if err != nil {
		return err
	}
	c := copier{root: root, writer: w, skip: home}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		return c.entry(name, d)
	})
	if err != nil {
		_ = w.root.Close()
		return fmt.Errorf("copying %s: %w", from, err)
	}
	if err := w.close(); err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return nil
}

type copier struct {
	root   *os.Root
	writer *writer
	// skip is an absolute directory that is not copied.
	skip string
}

func (c copier) entry(name string, d fs.DirEntry) error {
	native := filepath.FromSlash(name)
	switch {
	case name == ".":
		return nil
	case d.Name() == ".git" || d.Name() == caches || filepath.Join(c.root.Name(), native) == c.skip:
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case d.IsDir():
		return checkPath(name)
	case d.Type()&fs.ModeSymlink != 0:
		target, err := c.root.Readlink(native)
		if err != nil {
			return err
		}
		return c.writer.link(name, target)
	case !d.Type().IsRegular():
		return fmt.Errorf("%q is neither a file nor a directory but a device, a pipe or a socket", name)
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	return c.writer.file(name, info.Size(), info.Mode()&0o111 != 0, func() (io.ReadCloser, error) { return c.root.Open(native) })
}
