package sandbox

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
)

// The limits of the search for links. They are needed because a link may lead to any directory.
const (
	// maxFolders is how many directories are read.
	maxFolders = 1 << 12
	// maxLinksFound is how many links are protected.
	maxLinksFound = 256
	// folderDepth is how many levels deep directories are read. aura reads fewer levels of configuration.
	folderDepth = 24
)

// Links lists symbolic links in directories that stay read-only. A read-only directory does not protect what its links lead to, so
// that is protected too. Uncovered holds a sentence for each directory that was not searched completely.
type Links struct{ Paths, Uncovered []string }

// FindLinks searches the directories that aura takes settings, plugins and variables from, also in other directories to which the
// user has agreed, and the directories that links in them lead to.
func (at Place) FindLinks() *Links {
	own, others := newLinkSearch(at.Workdir, folderDepth), newLinkSearch(at.Workdir, folderDepth)
	// The user's home comes first, so that no project can crowd it out.
	for _, dir := range present(slices.Concat(at.Settings, at.Sources, below(at.Workdir, []string{settingsName}))...) {
		own.search(dir)
	}
	for _, path := range present(at.Trusted...) {
		if covering(own.safe, resolve(path)) == "" {
			others.search(path)
		}
	}
	return &Links{append(own.links.Paths, others.links.Paths...), append(own.links.Uncovered, others.links.Uncovered...)}
}

// linkSearch collects links.
type linkSearch struct {
	workdir string
	// depth is how many levels are read. If it is 1, only the entries of the searched directories count.
	depth int
	links Links
	// partial is true if a limit ended the search.
	partial bool
	// safe lists the trees that are searched and protected. read holds the directories that were read, and found the targets of links.
	safe        []string
	read, found map[string]bool
}

func newLinkSearch(workdir string, depth int) *linkSearch {
	return &linkSearch{workdir: resolve(workdir), depth: depth, read: map[string]bool{}, found: map[string]bool{}}
}

// search searches a directory that stays read-only. It looks at nothing else if the path is a file.
func (s *linkSearch) search(root string) {
	end := resolve(root)
	s.partial = false
	if end != root && s.depth > 1 {
		s.add(root, end)
	}
	if !s.holdsWorkdir(end) {
		s.safe = append(s.safe, end)
	}
	if isDir(end) {
		s.folder(end, s.depth)
	}
	if s.partial {
		s.links.Uncovered = append(s.links.Uncovered,
			root+" contains too many files or links to look at: what some of its links lead to is not protected")
	}
}

// holdsWorkdir reports whether the working directory is dir or below it. Such a directory cannot stay read-only.
func (s *linkSearch) holdsWorkdir(dir string) bool { return s.workdir != "" && within(dir, s.workdir) }

// folder looks at the entries of a directory, which is reached without links.
func (s *linkSearch) folder(dir string, depth int) {
	if s.read[dir] || s.holdsWorkdir(dir) {
		return
	}
	if depth == 0 && s.depth == 1 {
		return
	}
	if depth == 0 || len(s.read) >= maxFolders {
		s.partial = true
		return
	}
	s.read[dir] = true
	// Nothing is loaded from a directory that cannot be read.
	entries, _ := files.ReadDir(dir, maxEntriesRead)
	s.partial = s.partial || len(entries) == maxEntriesRead
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			s.link(path, depth-1)
		case e.IsDir():
			s.folder(path, depth-1)
		}
	}
}

// link looks at a link in a directory that stays read-only, and at the directory that it leads to.
func (s *linkSearch) link(path string, depth int) {
	end := resolve(path)
	if covering(s.safe, end) != "" {
		return
	}
	if !s.add(path, end) {
		s.partial = true
		return
	}
	if isDir(end) {
		s.folder(end, depth)
	}
}

// add adds a link, unless there is one that leads to the same place. It returns false if there are too many.
func (s *linkSearch) add(path, end string) bool {
	if s.found[end] {
		return true
	}
	if len(s.found) >= maxLinksFound {
		return false
	}
	s.found[end] = true
	s.links.Paths = append(s.links.Paths, path)
	return true
}
