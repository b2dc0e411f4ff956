package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/gitignore"
	"github.com/idelchi/aura/internal/fleet"
)

// The modes of files in trees. There are no others: a gitlink has the mode 160000, and git looks into the repository that it names.
const (
	modeFile    = "100644"
	modeProgram = "100755"
	modeLink    = "120000"
)

// maxDepth is how deep directories can be nested. Each level needs an open directory.
const maxDepth = 255

// settled is how old the time of a file must be before the file counts as unchanged by its time and size.
const settled = 100 * time.Millisecond

// file is a stored file.
type file struct {
	mode string
	id   objectID
	// size, time and perm are those of the file when it was read. time is 0 if the file could have changed without changing them.
	size, time int64
	perm       fs.FileMode
}

func (f file) unchanged(info fs.FileInfo) bool {
	return f.time != 0 && f.time == info.ModTime().UnixNano() && f.size == info.Size() && f.perm == info.Mode()
}

// scan walks through the workspace and stores its files as they are: no filter and no attribute changes them. Links are not followed,
// and a directory that is replaced meanwhile does not lead out of the workspace.
type scan struct {
	s     *Workspace
	found map[string]file
	n     int
}

// store stores what the workspace holds now: files that are not ignored, and tracked files. It returns the tree.
func (s *Workspace) store(ctx context.Context) (objectID, error) {
	if err := s.init(); err != nil {
		return objectID{}, err
	}
	root, err := files.OpenRoot(s.Dir)
	if err != nil {
		return objectID{}, err
	}
	defer func() { _ = root.Close() }()
	c := &scan{s: s, found: map[string]file{}}
	if err := c.directory(ctx, root, "", nil, false, 0); err != nil {
		return objectID{}, err
	}
	s.files = c.found
	return s.objects.putTree(c.found)
}

// directory stores the files of a directory. ignored is set if only tracked files count.
func (c *scan) directory(ctx context.Context, root *os.Root, name string, rules gitignore.Rules, ignored bool, depth int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if depth > maxDepth {
		return fmt.Errorf("the workspace has more than %d directories inside of each other", maxDepth)
	}
	list, err := files.ReadDirBelow(root, ".", maxEntries-c.n)
	if err != nil {
		c.keepBelow(name)
		return nil //nolint:nilerr // what cannot be read stays as it was stored before
	}
	if c.n += len(list); c.n >= maxEntries {
		return fmt.Errorf("the workspace has more than %d files", maxEntries)
	}
	if name != "" && !c.s.tracksBelow(name) && isRepository(list) {
		return nil
	}
	rules = rules.With(filepath.Join(c.s.Dir, filepath.FromSlash(name)))
	for _, d := range list {
		if fleet.RepositoryName(d.Name()) {
			continue
		}
		if err := c.entry(ctx, root, d, path.Join(name, d.Name()), rules, ignored, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry stores an entry of a directory.
func (c *scan) entry(ctx context.Context, root *os.Root, d fs.DirEntry, name string, rules gitignore.Rules, ignored bool, depth int) error {
	ignored = ignored || rules.Ignored(filepath.ToSlash(c.s.Dir)+"/"+name, d.IsDir())
	if !d.IsDir() {
		if ignored && !c.s.tracked[name] {
			return nil
		}
		return c.file(root, d.Name(), name)
	}
	if ignored && !c.s.tracksBelow(name) {
		return nil
	}
	below, err := files.OpenRootIn(root, d.Name())
	if err != nil {
		c.keepBelow(name)
		return nil
	}
	defer func() { _ = below.Close() }()
	return c.directory(ctx, below, name, rules, ignored, depth+1)
}

// file stores a file or a link. Sockets, pipes and devices have no content. A file that cannot be read stays as it was stored before.
func (c *scan) file(root *os.Root, base, name string) error {
	info, err := root.Lstat(base)
	if err != nil {
		return nil //nolint:nilerr // it was removed in the meantime
	}
	before, known := c.s.files[name]
	if known && before.unchanged(info) {
		c.found[name] = before
		return nil
	}
	var now file
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		now, err = c.s.storeLink(root, base)
	case info.Mode().IsRegular():
		now, err = c.s.storeFile(root, base)
	default:
		return nil
	}
	var unreadable *unreadableError
	switch {
	case err == nil:
		c.found[name] = now
	case !errors.As(err, &unreadable):
		return err
	case known:
		c.found[name] = before
	}
	return nil
}

func (s *Workspace) storeLink(root *os.Root, base string) (file, error) {
	target, err := root.Readlink(base)
	if err != nil {
		return file{}, &unreadableError{err}
	}
	id, err := s.objects.put("blob", int64(len(target)), strings.NewReader(target))
	return file{mode: modeLink, id: id}, err
}

func (s *Workspace) storeFile(root *os.Root, base string) (file, error) {
	began := time.Now()
	f, info, err := files.OpenBelow(root, base)
	if err != nil {
		return file{}, &unreadableError{err}
	}
	defer func() { _ = f.Close() }()
	out := file{mode: modeFile, size: info.Size(), perm: info.Mode()}
	if info.Mode()&0o100 != 0 {
		out.mode = modeProgram
	}
	if began.Sub(info.ModTime()) > settled {
		out.time = info.ModTime().UnixNano()
	}
	out.id, err = s.objects.put("blob", info.Size(), f)
	return out, err
}

// keepBelow keeps what was stored of a directory that cannot be read.
func (c *scan) keepBelow(name string) {
	for path, f := range c.s.files {
		if name == "" || strings.HasPrefix(path, name+"/") {
			c.found[path] = f
		}
	}
}

// tracksBelow reports whether the workspace began with files below a directory.
func (s *Workspace) tracksBelow(name string) bool { return s.trackedBelow[name] }

// track makes the files that are stored now the beginning of the workspace.
func (s *Workspace) track() {
	s.tracked, s.trackedBelow = make(map[string]bool, len(s.files)), map[string]bool{}
	for name := range s.files {
		s.tracked[name] = true
		for dir := path.Dir(name); dir != "." && !s.trackedBelow[dir]; dir = path.Dir(dir) {
			s.trackedBelow[dir] = true
		}
	}
}

// isRepository reports whether a directory is a repository of its own.
func isRepository(list []fs.DirEntry) bool {
	for _, d := range list {
		if fleet.RepositoryName(d.Name()) {
			return true
		}
	}
	return false
}
