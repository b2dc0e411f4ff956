package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/dirwatch"
)

// MaxWatched is how many directories the kernel is asked to report changes of. Those beyond it are looked at every time.
const MaxWatched = 1 << 13

// folder is what is known of a directory since it was looked at.
type folder struct {
	dirwatch.Dir

	info fs.FileInfo
	// below holds the names of the directories in it that are kept. count is how many entries it has, rules says whether there are rules of ignored
	// files among them.
	below []string
	count int64
	rules bool
	// partial is set if something in it may change without a report.
	partial bool
	// clean is set if nothing in it has changed, as of the beginning of the present look.
	clean bool
	// seen is the number of the last look that found the directory.
	seen int
}

// is reports whether the directory is the one that was looked at, and nothing in it has changed.
func (f *folder) is(info fs.FileInfo) bool { return f.clean && os.SameFile(f.info, info) }

// update asks the kernel what has changed.
func (s *scanner) update(trusting bool) {
	if s.changes == nil {
		s.changes, s.folders = dirwatch.New(dirwatch.Content, MaxWatched), map[string]*folder{}
	}
	s.changes.Update()
	for _, f := range s.folders {
		f.clean = trusting && f.Watched && !f.partial
	}
}

// forget makes the next look one at everything: what this one has seen is not part of the index.
func (s *scanner) forget() {
	if s.changes != nil {
		s.changes.Close()
	}
	s.changes, s.folders = nil, nil
}

// folder returns what is known of a directory.
func (l *look) folder(name string) *folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.folders[name]
}

// begin returns the folder of a directory that is looked at.
func (l *look) begin(name string, info fs.FileInfo) *folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.folders[name]
	if f == nil {
		f = &folder{}
		l.folders[name] = f
	}
	f.info, f.below, f.partial, f.seen = info, nil, false, l.looks
	return f
}

// watch lets the kernel report the changes of an open directory.
func (l *look) watch(dir *os.File, f *folder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The path leads to the directory that is open, whatever its name leads to now.
	l.changes.Add(fmt.Sprintf("/proc/self/fd/%d/.", dir.Fd()), &f.Dir)
}

// unchanged takes the state of a directory as it was. Directories below it may have changed.
func (l *look) unchanged(ctx context.Context, name string, f *folder, in *rules, depth int) {
	l.mu.Lock()
	f.seen, l.skipped[name] = l.looks, true
	l.mu.Unlock()
	if !l.counts(f) {
		return
	}
	if f.rules {
		in = in.below(l.path(name), in.known)
	}
	for _, base := range f.below {
		if ctx.Err() != nil {
			return
		}
		below := path.Join(name, base)
		switch next := l.folder(below); {
		case next == nil:
			f.partial = true // it could not be looked at
		case next.clean:
			l.unchanged(ctx, below, next, in, depth+1)
		default:
			l.again(ctx, below, next, in, depth+1)
		}
	}
}

// errReplaced means that a directory is another one than the kernel's reports are about.
var errReplaced = errors.New("it was replaced during the look")

// again looks at a directory within one that has not changed.
func (l *look) again(ctx context.Context, name string, f *folder, in *rules, depth int) {
	root, err := files.OpenRootIn(l.top, filepath.FromSlash(name))
	if err == nil {
		if info, failed := root.Stat("."); failed != nil || !os.SameFile(info, f.info) {
			_ = root.Close()
			err = errReplaced
		}
	}
	if err != nil {
		l.leave(name, cause(err))
		l.keepBelow(name)
		f.seen = l.looks
		return
	}
	l.enterDirectory(ctx, spot{root: root, in: in, folder: l.begin(name, f.info), depth: depth}, name)
}

// keepSkipped adds what was left out of directories that have not changed, and forgets directories that are gone.
func (l *look) keepSkipped() {
	for name, why := range l.leftNow {
		if l.skipped[parent(name)] {
			l.left[name] = why
		}
	}
	for name := range l.scanner.ignored {
		if l.skipped[parent(name)] {
			l.ignored[name] = true
		}
	}
	for _, name := range l.scanner.strays {
		if l.skipped[parent(name)] {
			l.strays = append(l.strays, name)
		}
	}
	for name, f := range l.folders {
		if f.seen != l.looks {
			l.changes.Remove(&f.Dir)
			delete(l.folders, name)
		}
	}
}

// path returns the absolute path of a name.
func (l *look) path(name string) string { return filepath.Join(l.tree, filepath.FromSlash(name)) }

// parent returns the directory of a name; the tree itself is the empty name.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }
