package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/gitignore"
)

const (
	// temporary is the beginning of the names of files that a rewind writes and then renames.
	temporary = ".aura-rewind-"
	// maxDepth is how deep directories are looked at.
	maxDepth = 200
)

// scanner looks at the tree and finds what differs from its index.
type scanner struct {
	tree    string
	limits  Limits
	objects *objects
	// index is the last snapshot, by path.
	index map[string]*entry
	looks int

	// above holds the rules of ignored files from outside of the tree. ignored holds the paths that the rules name. Both are those of the last look.
	above   gitignore.Rules
	ignored map[string]bool
	// leftNow is what the look leaves out, and why.
	leftNow map[string]string
	// strays are temporary files of a rewind that was killed.
	strays []string
}

// look is one look at the tree.
type look struct {
	*scanner
	began int64
	slots chan struct{}
	wait  sync.WaitGroup
	count atomic.Int64

	mu      sync.Mutex
	changes []change
	// device is the file system of the tree.
	device  uint64
	ignored map[string]bool
	left    map[string]string
	strays  []string
	err     error
}

// rules are the rules of ignored files in a directory. They are read when they are needed.
type rules struct {
	// known is set if the rules are those of the last look, so that its verdicts hold.
	known bool
	read  func() gitignore.Rules
}

// run looks at the whole tree. It returns the differences to the index, sorted by path. The index stays as it is until commit.
func (s *scanner) run(ctx context.Context) ([]change, error) {
	if s.index == nil {
		s.index = map[string]*entry{}
	}
	s.looks++
	root, err := files.OpenRoot(s.tree)
	if err != nil {
		return nil, err
	}
	l := &look{
		scanner: s, began: time.Now().UnixNano(), slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
		ignored: map[string]bool{}, left: map[string]string{},
	}
	above := gitignore.Above(s.tree)
	known := reflect.DeepEqual(above, s.above) && s.ignored != nil
	info, err := root.Stat(".")
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	l.device = device(info)
	l.wait.Go(func() {
		l.directory(ctx, root, "", &rules{known: known, read: func() gitignore.Rules { return above }}, 0)
	})
	l.wait.Wait()
	if l.err == nil {
		l.err = ctx.Err()
	}
	if l.err != nil {
		return nil, l.err
	}
	for p, e := range s.index {
		if e.seen != s.looks {
			l.changes = append(l.changes, change{path: p, was: e})
		}
	}
	slices.SortFunc(l.changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	s.above, s.ignored, s.leftNow, s.strays = above, l.ignored, l.left, l.strays
	return l.changes, nil
}

// commit makes the differences part of the index.
func (s *scanner) commit(changes []change) {
	for _, c := range changes {
		if c.made == nil {
			delete(s.index, c.path)
			continue
		}
		c.made.seen = s.looks
		s.index[c.path] = c.made
	}
}

// fail keeps the first error of a look.
func (l *look) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// leave records that a path is left out.
func (l *look) leave(name, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left[name] = why
}

// directory looks at a directory and closes it.
func (l *look) directory(ctx context.Context, root *os.Root, name string, in *rules, depth int) {
	defer func() { _ = root.Close() }()
	names, err := readNames(root, l.limits.Files)
	switch {
	case err != nil && name == "":
		l.fail(err)
		return
	case err != nil:
		l.leave(name, cause(err))
		l.keepBelow(name)
		return
	}
	if l.count.Add(int64(len(names))) > int64(l.limits.Files) {
		l.fail(fmt.Errorf("it has more than %d files, which is the limit", l.limits.Files))
		return
	}
	here := l.enter(root, name, in, names)
	for _, base := range names {
		if ctx.Err() != nil {
			return
		}
		l.entry(ctx, root, path.Join(name, base), base, here, depth)
	}
}

// cacheTag marks a directory whose content programs make again.
const cacheTag = "CACHEDIR.TAG"

// readNames returns the names in a directory, sorted.
func readNames(root *os.Root, most int) ([]string, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, errors.Join(err, f.Close())
}

// enter returns the rules in a directory.
func (l *look) enter(root *os.Root, name string, in *rules, names []string) *rules {
	const file = ".gitignore"
	old, at := l.index[path.Join(name, file)], path.Join(name, file)
	if !slices.Contains(names, file) {
		if old == nil {
			return in
		}
		return &rules{read: in.read}
	}
	out := &rules{read: sync.OnceValue(func() gitignore.Rules { return in.read().With(filepath.Join(l.tree, filepath.FromSlash(name))) })}
	if info, err := root.Lstat(file); err == nil && old != nil {
		out.known = in.known && old.untouched(described(at, info))
	}
	return out
}

// ignores reports whether the rules name a path. What is kept already is not ignored by later rules.
func (l *look) ignores(in *rules, name string, directory bool) bool {
	if l.index[name] != nil {
		return false
	}
	ignored := in.known && l.scanner.ignored[name]
	if !ignored {
		ignored = in.read().Ignored(filepath.ToSlash(filepath.Join(l.tree, filepath.FromSlash(name))), directory)
	}
	if ignored {
		l.mu.Lock()
		l.ignored[name] = true
		l.mu.Unlock()
	}
	return ignored
}

// repositories are the directories in which version control keeps its own data.
var repositories = []string{".git", ".hg", ".svn", ".jj"}

// entry looks at one name in a directory.
func (l *look) entry(ctx context.Context, root *os.Root, name, base string, in *rules, depth int) {
	info, err := root.Lstat(base)
	switch {
	case err != nil && isGone(err):
		return // it went in between
	case err != nil:
		l.leave(name, cause(err))
		l.keepBelow(name)
		return
	case slices.Contains(repositories, base):
		return
	case strings.HasPrefix(base, temporary):
		l.mu.Lock()
		l.strays = append(l.strays, name)
		l.mu.Unlock()
		return
	case base == "node_modules" && info.IsDir():
		l.leave(name, "packages are not kept")
		return
	case l.ignores(in, name, info.IsDir()):
		l.leave(name, "it is ignored")
		return
	}
	now := described(name, info)
	switch {
	case now.Type == 0:
		l.leave(name, "it is neither a file nor a directory")
	case device(info) != l.device:
		l.leave(name, "it is another file system") // such as /proc, or a disk that does not answer
	case info.IsDir():
		l.below(ctx, root, base, now, info, in, depth)
	case now.Type == link:
		if now.Target, err = root.Readlink(base); err == nil {
			l.found(now)
		}
	default:
		l.content(root, base, now)
	}
}

// described returns an entry without its content. The type is 0 for what is not kept.
func described(name string, info fs.FileInfo) entry {
	e := entry{Path: name, Mode: info.Mode().Perm()}
	switch {
	case info.IsDir():
		e.Type = dir
		return e
	case info.Mode()&fs.ModeSymlink != 0:
		e.Type, e.Mode = link, 0
		return e
	case !info.Mode().IsRegular():
		return e
	}
	e.Type, e.Size, e.Modified = file, info.Size(), info.ModTime().UnixNano()
	e.Changed, e.Inode = identity(info)
	return e
}

// below looks at a directory within another one, at the same time if there is a free slot.
func (l *look) below(ctx context.Context, root *os.Root, base string, now entry, info fs.FileInfo, in *rules, depth int) {
	name := now.Path
	if depth >= maxDepth {
		l.leave(name, "it is too deep")
		return
	}
	next, err := files.OpenRootIn(root, base)
	if err == nil {
		// OpenRoot follows a link that was put there after Lstat.
		if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
			_ = next.Close()
			return
		}
	}
	if err != nil {
		l.leave(name, cause(err))
		l.keepBelow(name)
		return
	}
	if _, err := next.Lstat(cacheTag); err == nil && l.index[name] == nil {
		l.leave(name, "it is marked as a cache")
		_ = next.Close()
		return
	}
	l.found(now)
	select {
	case l.slots <- struct{}{}:
		l.wait.Go(func() {
			defer func() { <-l.slots }()
			l.directory(ctx, next, name, in, depth+1)
		})
	default:
		l.directory(ctx, next, name, in, depth+1)
	}
}

// content reads a file if it may have changed.
func (l *look) content(root *os.Root, base string, now entry) {
	old := l.index[now.Path]
	if old != nil && old.untouched(now) {
		now.Hash, now.Fresh = old.Hash, old.Fresh
		l.found(now)
		return
	}
	if now.Size > l.limits.File {
		l.leave(now.Path, fmt.Sprintf("it has more than %d MiB", l.limits.File>>20))
		l.keep(old)
		return
	}
	f, info, err := files.OpenBelow(root, base)
	if err != nil {
		if !isGone(err) {
			l.leave(now.Path, cause(err))
			l.keep(old)
		}
		return
	}
	now = described(now.Path, info)
	data, err := io.ReadAll(io.LimitReader(f, l.limits.File+1))
	_ = f.Close()
	if err == nil && int64(len(data)) > l.limits.File {
		err = fmt.Errorf("it has more than %d MiB", l.limits.File>>20)
	}
	if err == nil {
		now.Hash, err = l.objects.put(data, l.limits.Total)
	}
	if err != nil {
		l.leave(now.Path, err.Error())
		l.keep(old)
		return
	}
	now.Fresh = fresh(now.Modified, now.Changed, l.began) || int64(len(data)) != now.Size
	l.found(now)
}

// found records what a path is now.
func (l *look) found(now entry) {
	old := l.index[now.Path]
	if old != nil {
		old.seen = l.looks
		if old.same(&now) {
			// The same state at another time: only the index changes, and only this goroutine uses this entry.
			now.seen = l.looks
			*old = now
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, change{path: now.Path, was: old, made: &now})
}

// keep leaves the state of a path as it was known: it cannot be read, which does not mean that it is gone.
func (l *look) keep(old *entry) {
	if old != nil {
		old.seen = l.looks
	}
}

// keepBelow leaves the state of everything below a directory as it was known.
func (l *look) keepBelow(name string) {
	for p, e := range l.index {
		if p == name || strings.HasPrefix(p, name+"/") {
			e.seen = l.looks
		}
	}
}

// leftOut returns what the last look left out.
func (s *scanner) leftOut() map[string]string { return maps.Clone(s.leftNow) }

// cause returns the reason of an error without the path.
func cause(err error) string {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		return inner.Err.Error()
	}
	return err.Error()
}
