package planted

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/dirwatch"
	"github.com/idelchi/aura/internal/system/gitconfig"
	"github.com/idelchi/aura/internal/system/gitindex"
)

// gitName is the entry of a repository in its working tree.
// maxWatched is how many directories the kernel is asked to report changes of. Those beyond it are looked at every time.
const maxWatched = 1 << 12

const gitName = ".git"

// control is a file that decides what Git runs, in one state.
type control struct {
	path string
	id   ident
	hot  bool
	// bad lists what the file makes Git run; empty if it runs nothing.
	bad []string
	// data is the content of a small file, so that it can be put back.
	data []byte
	// unit is the path that must go so that Git no longer obeys the file. It is another one if the file is outside of the trees.
	unit string
}

// snapshot is what the places contain at one moment.
type snapshot struct {
	controls map[string]*control
	// marks holds the files and directories with names that other programs look for.
	marks map[string]ident
	// dirs holds the Git directories that were examined.
	dirs map[string]bool
	// cut is set if there is more than was looked at.
	cut bool
}

// scanner looks at the places again and again.
type scanner struct {
	workdir string
	trees   []*tree
	changes *dirwatch.Watch
	// inside holds the folders of modules and linked working trees, by path. known holds the files that were read.
	inside map[string]*folder
	known  map[string]*control
	index  struct {
		id    ident
		links []string
	}
	now *snapshot
}

func newScanner(workdir string, trees []string) *scanner {
	s := &scanner{workdir: workdir, inside: map[string]*folder{}, known: map[string]*control{}, changes: dirwatch.New(dirwatch.Entries, maxWatched)}
	for _, dir := range trees {
		s.trees = append(s.trees, &tree{root: &folder{path: dir}, changes: s.changes})
	}
	return s
}

// scan returns what the places contain now.
func (s *scanner) scan() *snapshot {
	s.now = &snapshot{controls: map[string]*control{}, marks: map[string]ident{}, dirs: map[string]bool{}}
	left := maxDirs
	s.changes.Update()
	for _, t := range s.trees {
		left = t.refresh(left, s.visit)
		s.now.cut = s.now.cut || t.cut
	}
	if s.now.cut {
		for _, path := range s.links() {
			s.entry(filepath.Join(path, gitName))
		}
	}
	s.known = s.now.controls
	return s.now
}

// visit examines a directory, and returns further directories to look at.
func (s *scanner) visit(at *folder) []*folder {
	for _, name := range at.marks {
		path := filepath.Join(at.path, name)
		if id, err := identOf(path); err == nil && shows(path) {
			s.now.marks[path] = id
		}
	}
	for _, link := range at.links {
		s.entry(link)
	}
	var more []*folder
	if at.git {
		more = append(more, s.entry(filepath.Join(at.path, gitName))...)
	}
	if at.bare {
		more = append(more, s.repository(at.path, "")...)
	}
	return more
}

// entry examines a .git: a directory, or a file or a link that leads to one.
func (s *scanner) entry(path string) []*folder {
	id, err := identOf(path)
	if err != nil {
		return nil
	}
	to := path
	switch {
	case id.is(unix.S_IFDIR), id.is(unix.S_IFLNK):
	case id.is(unix.S_IFREG):
		s.examine(path, path, func(*control) {})
		c := s.now.controls[path]
		if c == nil {
			return nil
		}
		rest, ok := strings.CutPrefix(string(c.data), "gitdir: ")
		if to = strings.TrimRight(rest, "\r\n"); !ok || to == "" {
			return nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
	default:
		return nil
	}
	if to, err = filepath.EvalSymlinks(to); err != nil {
		return nil
	}
	if s.within(to) {
		return s.repository(to, "")
	}
	return s.repository(to, path)
}

func (s *scanner) within(path string) bool {
	return slices.ContainsFunc(s.trees, func(t *tree) bool { return within(t.root.path, path) })
}

// repository examines a Git directory. unit is the path that leads to it if it is outside of the trees; otherwise it is empty.
func (s *scanner) repository(dir, unit string) []*folder {
	if s.now.dirs[dir] {
		return nil
	}
	s.now.dirs[dir] = true
	for _, name := range []string{"config", "config.worktree"} {
		s.examine(filepath.Join(dir, name), unit, func(c *control) { c.bad = badSettings(c.data, dir, s) })
	}
	s.hooks(filepath.Join(dir, "hooks"), unit)
	common := filepath.Dir(filepath.Dir(dir))
	s.examine(filepath.Join(dir, "commondir"), unit, func(c *control) {
		to := strings.TrimSpace(string(c.data))
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		if filepath.Base(filepath.Dir(dir)) != "worktrees" || filepath.Clean(to) != common {
			c.bad = []string{"Git takes settings and hooks from another directory"}
		}
	})
	if c := s.now.controls[filepath.Join(dir, "commondir")]; c != nil && len(c.bad) == 0 && s.within(common) {
		s.repository(common, "")
	}
	if unit != "" {
		return nil
	}
	var more []*folder
	for _, name := range []string{"modules", "worktrees"} {
		path := filepath.Join(dir, name)
		if s.inside[path] == nil {
			s.inside[path] = &folder{path: path, inGit: true}
		}
		s.inside[path].Watched = false // nothing reports that a directory around it changed
		more = append(more, s.inside[path])
	}
	return more
}

// examine records a file if it exists. rate sets what is bad about its content.
func (s *scanner) examine(path, unit string, rate func(*control)) {
	id, err := identOf(path)
	if err != nil {
		return
	}
	c := s.known[path]
	if c == nil || c.id != id || c.hot {
		c = s.read(path, id, unit)
		if len(c.bad) == 0 {
			rate(c)
		}
	}
	s.now.controls[path] = c
}

// read reads a file without following any link.
func (s *scanner) read(path string, id ident, unit string) *control {
	if unit == "" {
		unit = path
	}
	c := &control{path: path, id: id, hot: id.recent(), unit: unit}
	if !id.is(unix.S_IFREG) {
		c.bad = []string{"it is not a regular file"}
		return c
	}
	data, err := readPlain(path, maxControl)
	if err != nil {
		c.bad = []string{err.Error()}
		return c
	}
	c.data = data
	return c
}

// readPlain reads a regular file by a path without links.
func readPlain(path string, limit int64) ([]byte, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

// badSettings lists the settings that can run programs, and a working tree outside of the trees.
func badSettings(text []byte, dir string, s *scanner) []string {
	all, err := gitconfig.Parse(text)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, one := range all {
		if one.Section == "core" && one.Sub == "" && one.Key == "worktree" {
			to := one.Value
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			// A working tree that does not exist yet has a parent.
			if real, err := filepath.EvalSymlinks(filepath.Dir(to)); err == nil && s.within(filepath.Join(real, filepath.Base(to))) {
				continue
			}
		}
		if !one.Harmless() {
			out = append(out, one.Name()+"="+one.Value)
		}
	}
	return out
}

// hooks records the hooks that Git runs: executable files, and links, whose names do not end in .sample.
func (s *scanner) hooks(dir, unit string) {
	id, err := identOf(dir)
	if err != nil {
		return
	}
	if !id.is(unix.S_IFDIR) {
		s.now.controls[dir] = s.read(dir, id, unit)
		return
	}
	at := s.inside[dir]
	if at == nil {
		at = &folder{path: dir}
		s.inside[dir] = at
	}
	if at.id != id || at.hot {
		at.id, at.hot = id, id.recent()
		entries, _ := os.ReadDir(dir) // hooks that cannot be listed cannot be run
		at.marks = at.marks[:0]
		for _, e := range entries[:min(len(entries), maxEntries)] {
			if !strings.HasSuffix(e.Name(), ".sample") {
				at.marks = append(at.marks, filepath.Join(dir, e.Name()))
			}
		}
	}
	for _, path := range at.marks {
		hook, err := identOf(path)
		if err != nil || hook.is(unix.S_IFREG) && hook.mode&0o111 == 0 || hook.is(unix.S_IFDIR) {
			continue
		}
		c := &control{path: path, id: hook, unit: unit, bad: []string{"it is a hook"}}
		if unit == "" {
			c.unit = path
		}
		s.now.controls[path] = c
	}
}

// links returns the repositories that the index of the working directory's repository names. They are needed if there are more
// directories than were looked at, because git status visits these.
func (s *scanner) links() []string {
	root := s.workdir
	for !files.Exists(filepath.Join(root, gitName)) {
		if root == filepath.Dir(root) {
			return nil
		}
		root = filepath.Dir(root)
	}
	path := filepath.Join(root, gitName, "index")
	id, err := identOf(path)
	if err != nil {
		return nil
	}
	if id != s.index.id || id.recent() {
		data, _ := readPlain(path, gitindex.MaxSize) // one that is larger names none
		s.index.id, s.index.links = id, nil
		for entry := range gitindex.Entries(data) {
			if path := filepath.Join(root, filepath.FromSlash(entry.Name)); entry.Mode == gitindex.Link && s.within(path) {
				s.index.links = append(s.index.links, path)
			}
		}
	}
	return s.index.links
}
