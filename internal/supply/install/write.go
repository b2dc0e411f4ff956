package install

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// writer writes the files of a source below a directory. It cannot write anywhere else.
type writer struct {
	root  *os.Root
	guard *guard
	// links holds symbolic links and their targets. They are created last, so that no file is written through a link.
	links [][2]string
}

func newWriter(dir string) (*writer, error) {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the directory to install into: %w", err)
	}
	return &writer{root: root, guard: newGuard()}, nil
}

// file writes one file. It leaves out the origin file, because a source's claim about its own origin is not trusted.
func (w *writer) file(name string, size int64, executable bool, open func() (io.ReadCloser, error)) error {
	if err := w.guard.admit(name, size); err != nil {
		return err
	}
	if path.Base(name) == manifest.OriginFile {
		return nil
	}
	if dir := path.Dir(name); dir != "." {
		if err := w.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	mode := os.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	in, err := open()
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	defer func() { _ = in.Close() }()
	out, err := w.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	n, err := io.Copy(out, io.LimitReader(in, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes were expected, but %d arrived", size, n)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// link records a symbolic link, which close creates.
func (w *writer) link(name, target string) error {
	if err := w.guard.admit(name, 0); err != nil {
		return err
	}
	slashed := filepath.ToSlash(target)
	outside := path.IsAbs(slashed) || !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(name), slashed)))
	if outside || drive().MatchString(target) || strings.ContainsRune(target, 0) {
		return fmt.Errorf("the symbolic link %q leads out of the source, to %q", name, target)
	}
	w.links = append(w.links, [2]string{name, target})
	return nil
}

// close creates the links and checks that each leads to a file within the source.
func (w *writer) close() error {
	dir := w.root.Name()
	err := w.makeLinks(dir)
	return errors.Join(err, w.root.Close())
}

func (w *writer) makeLinks(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("finding the directory to install into: %w", err)
	}
	for _, l := range w.links {
		name := filepath.FromSlash(l[0])
		if parent := filepath.Dir(name); parent != "." {
			if err := w.root.MkdirAll(parent, 0o755); err != nil {
				return fmt.Errorf("writing %s: %w", l[0], err)
			}
		}
		if err := w.root.Symlink(l[1], name); err != nil {
			return fmt.Errorf("writing %s: %w", l[0], err)
		}
	}
	for _, l := range w.links {
		end, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(l[0])))
		if err != nil {
			return fmt.Errorf("the symbolic link %q is broken: its target is %q", l[0], l[1])
		}
		if !files.Within(real, end) {
			return fmt.Errorf("the symbolic link %q leads out of the source, to %q", l[0], l[1])
		}
		if info, err := os.Stat(end); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("the symbolic link %q does not lead to a file; its target is %q", l[0], l[1])
		}
	}
	return nil
}
