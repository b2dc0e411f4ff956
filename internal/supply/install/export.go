package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// maxTarget is the longest target of a symbolic link, in bytes.
const maxTarget = 4096

// export writes the files of a commit below a directory. It converts and filters nothing, and leaves out submodules. If only names directories,
// it writes those alone.
func export(ctx context.Context, s storer.EncodedObjectStorer, commit *object.Commit, to string, only ...string) error {
	tree, err := object.GetTree(s, commit.TreeHash)
	if err != nil {
		return fmt.Errorf("reading commit %s: %w", commit.Hash, err)
	}
	w, err := newWriter(to)
	if err != nil {
		return err
	}
	x := exporter{storer: s, writer: w, only: only}
	if err := x.tree(ctx, tree, ""); err != nil {
		_ = w.root.Close()
		return fmt.Errorf("reading commit %s: %w", commit.Hash, err)
	}
	if err := w.close(); err != nil {
		return fmt.Errorf("reading commit %s: %w", commit.Hash, err)
	}
	return nil
}

type exporter struct {
	storer storer.EncodedObjectStorer
	writer *writer
	// dirs counts the directories. A small repository can claim to have any number of them.
	dirs int
	only []string
}

// wanted reports whether a name is in one of the directories to write, or above one.
func (x *exporter) wanted(name string) bool {
	return len(x.only) == 0 || slices.ContainsFunc(x.only, func(dir string) bool {
		return strings.HasPrefix(dir+"/", name+"/") || strings.HasPrefix(name, dir+"/")
	})
}

func (x *exporter) tree(ctx context.Context, t *object.Tree, dir string) error {
	if x.dirs++; x.dirs > MaxFiles {
		return fmt.Errorf("the source has more than %d directories", MaxFiles)
	}
	for _, e := range t.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Mode == filemode.Submodule || !x.wanted(path.Join(dir, e.Name)) {
			continue
		}
		// path.Join cleans a path, so the name is checked first.
		if err := checkPath(e.Name); err != nil {
			return err
		}
		if err := x.entry(ctx, e, path.Join(dir, e.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) entry(ctx context.Context, e object.TreeEntry, name string) error {
	switch e.Mode {
	case filemode.Dir:
		sub, err := object.GetTree(x.storer, e.Hash)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		return x.tree(ctx, sub, name)
	case filemode.Symlink:
		target, err := x.target(e.Hash)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		return x.writer.link(name, target)
	case filemode.Regular, filemode.Deprecated, filemode.Executable:
		blob, err := object.GetBlob(x.storer, e.Hash)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		return x.writer.file(name, blob.Size, e.Mode == filemode.Executable, blob.Reader)
	default:
		return fmt.Errorf("%q is of an unknown kind (mode %s)", name, e.Mode)
	}
}

func (x *exporter) target(h plumbing.Hash) (target string, err error) {
	blob, err := object.GetBlob(x.storer, h)
	if err != nil {
		return "", err
	}
	if blob.Size > maxTarget {
		return "", fmt.Errorf("the target of a symbolic link has %d bytes", blob.Size)
	}
	r, err := blob.Reader()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	text, err := io.ReadAll(io.LimitReader(r, maxTarget))
	return string(text), err
}
