package hidden

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/dirwatch"
)

// tick is longer than the clock of any file system takes to advance.
const tick = 20 * time.Millisecond

// maxRounds is how often a search looks again at what changed while it looked.
const maxRounds = 4

// Finder finds the files that rules hide. It remembers directories from search to search. Several goroutines may use it. The owner must call
// Close.
type Finder struct {
	mu      sync.Mutex
	rules   *Rules
	tops    map[string]*folder
	changes *dirwatch.Watch
	seed    maphash.Seed
	// dirs and looks are what is left of MaxDirs and MaxLooked.
	dirs, looks int
	verdicts    map[string]verdict
}

// folder is a directory as it was when it was read last.
type folder struct {
	path string
	id   ident
	// read is set once the directory was read; blocked if it could not be read.
	read, blocked bool
	// Watched is set only if the path is known to lead here.
	dirwatch.Dir
	// later is set if the directory must be read again in any case.
	later bool
	subs  []*folder
	hits  []Hit
	// links lists symbolic links that rules name, and keys the files that contain private keys.
	links []Hit
	keys  []string
	// seen identifies the states of files that contain no key.
	seen map[uint64]struct{}
}

// ident identifies a state of a file. No unprivileged process can set the time of the last change.
type ident struct {
	device, inode uint64
	changed       int64
	size          int64
	mode, owner   uint32
}

func identOf(path string) (ident, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return ident{}, err
	}
	return ident{uint64(st.Dev), st.Ino, st.Ctim.Nano(), st.Size, st.Mode, st.Uid}, nil //nolint:unconvert // its type differs between architectures
}

func (i ident) is(kind uint32) bool { return i.mode&unix.S_IFMT == kind }

func (i ident) recent() bool { return time.Since(time.Unix(0, i.changed)) < tick }

// verdict is whether Git tracks a private key, in one state of the file and of the index.
type verdict struct {
	file, index ident
	tracked     bool
}

// NewFinder returns a finder for rules.
func NewFinder(rules *Rules) *Finder {
	return &Finder{rules: rules, tops: map[string]*folder{}, changes: dirwatch.New(dirwatch.Content, maxWatched), seed: maphash.MakeSeed(), verdicts: map[string]verdict{}}
}

// Close ends watching directories.
func (f *Finder) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes.Close()
	f.tops = map[string]*folder{}
}

// Find returns what is hidden in and below roots: directories or files in the working directory, absolute and without links.
func (f *Finder) Find(roots []string) Found {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirs, f.looks = MaxDirs, MaxLooked
	for range maxRounds {
		f.changes.Update()
		for _, root := range roots {
			f.refresh(f.top(root))
		}
		if !f.changes.Pending() {
			break
		}
	}
	var out Found
	for _, root := range roots {
		f.collect(f.tops[root], &out)
	}
	for _, file := range f.rules.Files {
		if reason, ok := f.rules.at(file.Path, false); ok {
			if target, err := filepath.EvalSymlinks(file.Path); err == nil {
				out.Hits = append(out.Hits, Hit{target, reason})
			}
		}
	}
	slices.SortFunc(out.Hits, func(a, b Hit) int { return strings.Compare(a.Path, b.Path) })
	out.Hits = slices.CompactFunc(out.Hits, func(a, b Hit) bool { return a.Path == b.Path })
	out.Unread = coarse(f.rules.Dir, out.Unread)
	return out
}

func (f *Finder) top(root string) *folder {
	at := f.tops[root]
	if at == nil {
		at = &folder{path: root}
		f.tops[root] = at
	}
	at.Watched = false // nothing reports that a directory around it changed
	return at
}

// refresh brings a directory and all below it up to date, the uppermost first.
func (f *Finder) refresh(root *folder) {
	queue := []*folder{root}
	for len(queue) > 0 && f.dirs > 0 {
		at := queue[0]
		queue = queue[1:]
		f.dirs--
		f.look(at)
		queue = append(queue, at.subs...)
	}
}

// look reads a directory if it changed.
func (f *Finder) look(at *folder) {
	if at.Watched && !at.Dirty && !at.later {
		return
	}
	again := at.Dirty || at.later
	at.Dirty, at.later = false, false
	f.changes.Add(at.path, &at.Dir)
	id, err := identOf(at.path)
	if err == nil && id == at.id && !again {
		return
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), err == nil && id.is(unix.S_IFLNK):
		f.forget(at)
		*at = folder{path: at.path, read: true}
		return
	case err == nil && !id.is(unix.S_IFDIR):
		f.single(at)
		return
	}
	at.id, at.later = id, id.recent() && !at.Watched
	entries, err := readDir(at.path)
	// What is known about a directory that can no longer be read stays: confined code can change its mode, and change it back.
	at.blocked = err != nil && !closed(at.path, at.id)
	if err != nil {
		return
	}
	f.fill(at, entries)
}

// closed reports whether confined code, which runs as this user, can neither enter a directory nor change its mode. Such directories of others
// come and go at any time, as those of builds do.
func closed(path string, id ident) bool {
	user := os.Geteuid()
	return user != 0 && int(id.owner) != user && unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) != nil
}

// readDir returns the entries of a directory, and follows no link at its end.
func readDir(path string) ([]os.DirEntry, error) {
	dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	return dir.ReadDir(-1)
}

// single looks at a root that is a file.
func (f *Finder) single(at *folder) {
	*at = folder{path: at.path, read: true, later: true}
	if reason, ok := f.rules.Why(at.path); ok {
		at.hits = []Hit{{at.path, reason}}
	} else if !f.rules.Only && !f.rules.exempt(at.path) && readKey(at.path) != nil {
		at.keys = []string{at.path}
	}
}

// fill sets what is known about a directory from its entries.
func (f *Finder) fill(at *folder, entries []os.DirEntry) {
	before := map[string]*folder{}
	for _, sub := range at.subs {
		before[sub.path] = sub
	}
	seen := at.seen
	at.subs, at.hits, at.links, at.keys, at.seen, at.read = nil, nil, nil, nil, nil, true
	for _, e := range entries {
		path := filepath.Join(at.path, e.Name())
		if e.Name() == gitName {
			continue // what Git stores is not hidden
		}
		reason, hides := f.rules.at(path, e.IsDir())
		link := e.Type()&os.ModeSymlink != 0
		if link && !hides {
			reason, hides = f.rules.at(path, true)
		}
		switch {
		case hides && link:
			at.links = append(at.links, Hit{path, reason})
		case hides:
			at.hits = append(at.hits, Hit{path, reason})
		case e.IsDir():
			sub := before[path]
			if sub == nil {
				sub = &folder{path: path}
			}
			sub.Watched = false // it may be another directory of the same name
			delete(before, path)
			at.subs = append(at.subs, sub)
		case e.Type().IsRegular() && !f.rules.Only:
			f.sniff(at, path, seen)
		}
	}
	for _, gone := range before {
		f.forget(gone)
	}
}

// forget ends watching a directory that is no longer there, and all below it.
func (f *Finder) forget(at *folder) {
	f.changes.Remove(&at.Dir)
	for _, sub := range at.subs {
		f.forget(sub)
	}
}

// sniff finds out whether a file contains a private key. seen holds what was known about the directory.
func (f *Finder) sniff(at *folder, path string, seen map[uint64]struct{}) {
	id, err := identOf(path)
	if err != nil || !id.is(unix.S_IFREG) || id.size > maxKey || id.size < minKey || f.rules.exempt(path) {
		return
	}
	key := f.state(path, id)
	if _, ok := seen[key]; ok {
		at.remember(key)
		return
	}
	if f.looks == 0 {
		at.later = true
		return
	}
	f.looks--
	switch {
	case readKey(path) != nil:
		at.keys = append(at.keys, path)
	case id.recent():
		at.later = true // it may change again without a difference that can be seen
	default:
		at.remember(key)
	}
}

func (at *folder) remember(key uint64) {
	if at.seen == nil {
		at.seen = map[uint64]struct{}{}
	}
	at.seen[key] = struct{}{}
}

// state identifies a file in one state.
func (f *Finder) state(path string, id ident) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	_, _ = h.WriteString(path)
	for _, v := range []uint64{id.inode, uint64(id.changed), uint64(id.size)} { //nolint:gosec // only their bits matter
		_, _ = h.Write(binary.NativeEndian.AppendUint64(nil, v))
	}
	return h.Sum64()
}

// collect adds what is hidden in a directory and below it.
func (f *Finder) collect(at *folder, out *Found) {
	switch {
	case at.blocked:
		out.Hits = append(out.Hits, Hit{at.path, Reason{Text: "it cannot be looked at for hidden files", Anchored: true}})
	case !at.read:
		if at.path != f.rules.Dir && at.id == (ident{}) {
			out.Unread = append(out.Unread, at.path)
		}
	}
	out.Later = out.Later || f.looks == 0 && at.later
	out.Hits = append(out.Hits, at.hits...)
	for _, link := range at.links {
		if target, err := filepath.EvalSymlinks(link.Path); err == nil {
			out.Hits = append(out.Hits, Hit{target, link.Reason})
		}
	}
	for _, path := range at.keys {
		if !f.isTracked(path) {
			out.Hits = append(out.Hits, Hit{path, keyReason()})
		}
	}
	for _, sub := range at.subs {
		f.collect(sub, out)
	}
}

// isTracked reports whether Git tracks a private key.
func (f *Finder) isTracked(path string) bool {
	index, _ := indexOf(path)
	var now verdict
	var err1, err2 error
	if now.file, err1 = identOf(path); index != "" {
		now.index, err2 = identOf(index)
	}
	if err1 != nil || err2 != nil {
		return false
	}
	if old, ok := f.verdicts[path]; ok && old.file == now.file && old.index == now.index {
		return old.tracked
	}
	text, err := files.ReadNoFollow(path, maxKey)
	now.tracked = err == nil && tracked(path, text)
	if now.file.recent() || now.index.recent() {
		delete(f.verdicts, path)
	} else {
		f.verdicts[path] = now
	}
	return now.tracked
}

// coarse returns at most maxUnread directories that contain all of paths, if directories below root can do that.
func coarse(root string, paths []string) []string {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for len(paths) > maxUnread {
		var next []string
		for _, path := range paths {
			if dir := filepath.Dir(path); dir != root && within(root, dir) {
				path = dir
			}
			next = append(next, path)
		}
		slices.Sort(next)
		if next = slices.Compact(next); slices.Equal(next, paths) {
			break
		}
		paths = next
	}
	return paths
}
