package planted

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/dirwatch"
)

// The limits of a scan. A working directory may contain anything.
const (
	// maxDirs is how many directories are looked at.
	maxDirs = 1 << 14
	// maxEntries is how many entries of a directory are looked at.
	maxEntries = 1 << 14
	// maxControl is the largest size of a file that decides what Git runs, in bytes.
	maxControl = 1 << 20
)

// tick is longer than the clock of any file system takes to advance. What changed later than that before it was read may have
// changed again at the same time.
const tick = 20 * time.Millisecond

// ident identifies a state of a file. No unprivileged process can set the time of the last change.
type ident struct {
	device, inode uint64
	changed       int64
	mode          uint32
}

func identOf(path string) (ident, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return ident{}, err
	}
	return ident{st.Dev, st.Ino, st.Ctim.Nano(), st.Mode}, nil
}

func (i ident) is(kind uint32) bool { return i.mode&unix.S_IFMT == kind }

// recent reports whether a file may have changed again since it was looked at without a difference that can be seen.
func (i ident) recent() bool { return time.Since(time.Unix(0, i.changed)) < tick }

// folder is a directory of a tree, as it was when it was read last.
type folder struct {
	path string
	id   ident
	dirwatch.Dir
	// hot is set if the directory changed just before it was read.
	hot  bool
	subs []*folder
	// inGit is set below the modules and linked working trees of a Git directory.
	inGit bool
	// git and bare say that the directory has an entry .git, and that Git takes the directory for a repository.
	git, bare bool
	// marks lists the entries with names that other programs look for; links the symbolic links below inGit.
	marks, links []string
}

// tree is a directory with all directories below it. It remembers them from scan to scan and reads only those that changed.
type tree struct {
	root    *folder
	changes *dirwatch.Watch
	// cut is set if there is more than was looked at.
	cut bool
}

// refresh brings the tree up to date and calls visit for every directory. left is how many directories may be looked at.
func (t *tree) refresh(left int, visit func(*folder) []*folder) int {
	t.cut = false
	t.root.Watched = false // nothing reports that a directory around it changed
	queue := []*folder{t.root}
	for len(queue) > 0 {
		if left == 0 {
			t.cut = true
			return 0
		}
		at := queue[0]
		queue = queue[1:]
		left--
		if !t.look(at) {
			continue
		}
		queue = append(queue, at.subs...)
		queue = append(queue, visit(at)...)
	}
	return left
}

// look reads a directory if it changed. It returns false if there is none.
func (t *tree) look(at *folder) bool {
	if at.Watched {
		return true
	}
	t.changes.Add(at.path, &at.Dir)
	id, err := identOf(at.path)
	if err != nil || !id.is(unix.S_IFDIR) {
		*at = folder{path: at.path, inGit: at.inGit}
		return false
	}
	if id == at.id && !at.hot {
		return true
	}
	at.id, at.hot = id, id.recent()
	f, err := os.OpenFile(at.path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		at.Watched = false
		return false // the user's programs cannot read it either
	}
	entries, err := f.ReadDir(maxEntries)
	_ = f.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		at.hot, at.Watched = true, false
	}
	t.cut = t.cut || len(entries) == maxEntries
	for _, gone := range at.fill(entries) {
		t.forget(gone)
	}
	return true
}

// fill sets what is known about a directory from its entries. It returns the directories that are gone.
func (at *folder) fill(entries []os.DirEntry) (gone map[string]*folder) {
	before := map[string]*folder{}
	for _, sub := range at.subs {
		before[sub.path] = sub
	}
	has := map[string]bool{}
	for _, e := range entries {
		has[e.Name()] = true
	}
	at.subs, at.marks, at.links = nil, nil, nil
	// A directory may have more entries than were read.
	at.git = !at.inGit && (has[gitName] || len(entries) == maxEntries && files.Exists(filepath.Join(at.path, gitName)))
	at.bare = has["HEAD"] && (has["objects"] && has["refs"] || has["commondir"]) || at.inGit && (has["HEAD"] || has["config"])
	for _, e := range entries {
		name := e.Name()
		if marked(name) {
			at.marks = append(at.marks, name)
		}
		switch path := filepath.Join(at.path, name); {
		case name == gitName && !at.inGit, at.bare && name == "objects":
		case e.IsDir() && before[path] != nil:
			before[path].Watched = false // it may be another directory of the same name
			at.subs = append(at.subs, before[path])
			delete(before, path)
		case e.IsDir():
			at.subs = append(at.subs, &folder{path: path, inGit: at.inGit})
		case e.Type()&os.ModeSymlink != 0 && at.inGit:
			at.links = append(at.links, path)
		}
	}
	slices.SortFunc(at.subs, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	return before
}

// forget ends watching a directory that is no longer there, and all below it.
func (t *tree) forget(at *folder) {
	t.changes.Remove(&at.Dir)
	for _, sub := range at.subs {
		t.forget(sub)
	}
}
