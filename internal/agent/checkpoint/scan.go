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
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/gitignore"
	"github.com/idelchi/aura/internal/system/dirwatch"
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
	looked  *atomic.Int64
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

	// changes reports which of the folders changed since the last look. folders holds the directories, by path.
	changes *dirwatch.Watch
	folders map[string]*folder
}

// look is one look at the tree.
type look struct {
	*scanner
	began int64
	top   *os.Root
	slots chan struct{}
	wait  sync.WaitGroup

	mu    sync.Mutex
	found []change
	// links is set if a file with several names is new or has changed: it may have changed in a directory that reports nothing.
	links atomic.Bool
	// skipped holds the directories in which nothing has changed.
	skipped map[string]bool
	// device is the file system of the tree.
	device  uint64
	ignored map[string]bool
	left    map[string]string
	strays  []string
	err     error
}

// run looks at the whole tree. It returns the differences to the index, sorted by path. The index stays as it is until commit. If trusting is
// set, it does not look into directories of which the kernel reports no change.
func (s *scanner) run(ctx context.Context, trusting bool) (_ []change, err error) {
	if s.index == nil {
		s.index = map[string]*entry{}
	}
	s.looks++
	s.looked.Store(0)
	top, err := files.OpenRoot(s.tree)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }()
	l := &look{
		scanner: s, began: time.Now().UnixNano(), top: top, slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
		ignored: map[string]bool{}, left: map[string]string{}, skipped: map[string]bool{},
	}
	above := gitignore.Above(s.tree)
	if err := l.start(ctx, trusting, above); err != nil {
		return nil, err
	}
	l.wait.Wait()
	if l.err == nil {
		l.err = ctx.Err()
	}
	if l.err != nil {
		return nil, l.err
	}
	if trusting && l.links.Load() {
		return s.run(ctx, false)
	}
	l.keepSkipped()
	for p, e := range s.index {
		if e.seen != s.looks && !l.skipped[parent(p)] {
			l.found = append(l.found, change{path: p, was: e})
		}
	}
	slices.SortFunc(l.found, func(a, b change) int { return strings.Compare(a.path, b.path) })
	s.above, s.ignored, s.leftNow, s.strays = above, l.ignored, l.left, l.strays
	return l.found, nil
}

// start begins the look at the tree.
func (l *look) start(ctx context.Context, trusting bool, above gitignore.Rules) error {
	info, err := l.top.Stat(".")
	if err != nil {
		return err
	}
	l.device = device(info)
	in := &rules{known: reflect.DeepEqual(above, l.above) && l.scanner.ignored != nil, read: func() gitignore.Rules { return above }}
	l.update(trusting)
	if f := l.folders[""]; f != nil && f.is(info) && in.known {
		l.unchanged(ctx, "", f, in, 0)
		return nil
	}
	root, err := files.OpenRoot(l.tree)
	if err != nil {
		return err
	}
	at := spot{root: root, in: in, folder: l.begin("", info)}
	l.wait.Go(func() { l.directory(ctx, at, "") })
	return nil
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

// spot is a directory that is looked at.
type spot struct {
	root   *os.Root
	in     *rules
	folder *folder
	depth  int
}

// directory looks at a directory and closes it.
func (l *look) directory(ctx context.Context, at spot, name string) {
	defer func() { _ = at.root.Close() }()
	names, err := l.readNames(at)
	switch {
	case err != nil && name == "":
		l.fail(err)
		return
	case err != nil:
		l.leave(name, cause(err))
		l.keepBelow(name)
		at.folder.partial = true
		return
	}
	at.folder.count = int64(len(names))
	if !l.counts(at.folder) {
		return
	}
	at.folder.rules = slices.Contains(names, ".gitignore")
	at.in = l.enter(at.root, name, at.in, names)
	for _, base := range names {
		if ctx.Err() != nil {
			return
		}
		l.entry(ctx, at, path.Join(name, base), base)
	}
}

// counts adds the entries of a directory. It returns false if there are too many.
func (l *look) counts(f *folder) bool {
	if l.looked.Add(f.count) <= int64(l.limits.Files) {
		return true
	}
	l.fail(fmt.Errorf("it has more than %d files, which is the limit", l.limits.Files))
	return false
}

// cacheTag marks a directory whose content programs make again.
const cacheTag = "CACHEDIR.TAG"

// readNames returns the names in a directory, sorted. From then on, the kernel reports its changes.
func (l *look) readNames(at spot) ([]string, error) {
	f, err := at.root.Open(".")
	if err != nil {
		return nil, err
	}
	l.watch(f, at.folder)
	names, err := f.Readdirnames(l.limits.Files + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, errors.Join(err, f.Close())
}

// repositories are the directories in which version control keeps its own data.
var repositories = []string{".git", ".hg", ".svn", ".jj"}

// entry looks at one name in a directory.
func (l *look) entry(ctx context.Context, at spot, name, base string) {
	info, err := at.root.Lstat(base)
	switch {
	case err != nil && isGone(err):
		return // it went in between
	case err != nil:
		l.leave(name, cause(err))
		l.keepBelow(name)
		at.folder.partial = true
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
	case l.ignores(at.in, name, info.IsDir()):
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
		l.below(ctx, at, base, now, info)
	case now.Type == link:
		if now.Target, err = at.root.Readlink(base); err == nil {
			l.record(now)
		}
	default:
		if linked(info) {
			// A change by another name of the file is reported elsewhere, and so is the creation of that name.
			at.folder.partial = true
			if old := l.index[name]; old == nil || !old.untouched(now) {
				l.links.Store(true)
			}
		}
		l.content(at, base, now)
	}
}

// below looks at a directory within another one.
func (l *look) below(ctx context.Context, at spot, base string, now entry, info fs.FileInfo) {
	name := now.Path
	if at.depth >= maxDepth {
		l.leave(name, "it is too deep")
		return
	}
	if f := l.folder(name); f != nil && f.is(info) && at.in.known {
		at.folder.below = append(at.folder.below, base)
		l.record(now)
		l.unchanged(ctx, name, f, at.in, at.depth+1)
		return
	}
	next, err := files.OpenRootIn(at.root, base)
	if err == nil {
		// OpenRoot follows a link that was put there after Lstat.
		if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
			_ = next.Close()
			at.folder.partial = true
			return
		}
	}
	if err != nil {
		l.leave(name, cause(err))
		l.keepBelow(name)
		at.folder.partial = true
		return
	}
	if _, err := next.Lstat(cacheTag); err == nil && l.index[name] == nil {
		l.leave(name, "it is marked as a cache")
		_ = next.Close()
		at.folder.partial = true // the mark may go
		return
	}
	at.folder.below = append(at.folder.below, base)
	l.record(now)
	l.enterDirectory(ctx, spot{root: next, in: at.in, folder: l.begin(name, info), depth: at.depth + 1}, name)
}

// enterDirectory looks at a directory, at the same time if there is a free slot.
func (l *look) enterDirectory(ctx context.Context, at spot, name string) {
	select {
	case l.slots <- struct{}{}:
		l.wait.Go(func() {
			defer func() { <-l.slots }()
			l.directory(ctx, at, name)
		})
	default:
		l.directory(ctx, at, name)
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
