package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/base/limit"
)

// anyDirs is the segment of a pattern that stands for any number of directories.
const anyDirs = "**"

// maxNested is how many ** the braces between two others can hold. The time to find files grows with the power of it.
const maxNested = 2

// globber finds the files below a directory that a pattern fits. For each ** of the pattern it reads each directory once, so the time
// does not grow exponentially with the number of **.
type globber struct {
	// base is an absolute path.
	base    string
	stopped func() error
	// refused is why a directory was not read: it is too large. The library ignores errors of reading.
	refused error
}

// errFound refuses a call that would collect too much.
var errFound = fmt.Errorf("more than %d files and directories fit; use a closer pattern or path", limit.GlobFound)

// entries maps slash-separated paths below the base to what is there.
type entries map[string]fs.DirEntry

// find returns what the pattern fits.
func (g *globber) find(pattern string) (entries, error) {
	if err := checkPattern(pattern); err != nil {
		return nil, err
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, doublestar.ErrBadPattern
	}
	parts := betweenAnyDirs(pattern)
	found := entries{".": nil}
	for i, part := range parts {
		if strings.Count(part, anyDirs) > maxNested {
			return nil, fmt.Errorf("braces cannot hold more than %d **; use one pattern for each alternative", maxNested)
		}
		last := i == len(parts)-1
		var err error
		if i > 0 {
			if found, err = g.below(found, last && part == "" && !strings.HasSuffix(pattern, "/")); err != nil {
				return nil, err
			}
		}
		if part == "" {
			continue
		}
		if !last {
			part += "/" // finds directories only
		}
		if found, err = g.in(found, part); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// betweenAnyDirs returns the parts of a pattern before, between and after the segments that are **. Those in braces are not
// separated.
func betweenAnyDirs(pattern string) []string {
	parts, part, depth := []string{}, []string{}, 0
	for segment := range strings.SplitSeq(pattern, "/") {
		if segment == anyDirs && depth == 0 {
			parts, part = append(parts, strings.Join(part, "/")), nil
			continue
		}
		part = append(part, segment)
		for i := 0; i < len(segment); i++ {
			switch segment[i] {
			case '\\':
				i++
			case '{':
				depth++
			case '}':
				depth = max(0, depth-1)
			}
		}
	}
	return append(parts, strings.Join(part, "/"))
}

// in returns what a pattern fits in each of the directories. The library would try the alternatives of all braces in every order, so it
// gets patterns without braces.
func (g *globber) in(dirs entries, pattern string) (entries, error) {
	patterns, err := alternatives(pattern)
	if err != nil {
		return nil, err
	}
	out := entries{}
	for dir := range dirs {
		for _, each := range patterns {
			err := g.walk(dir, each, func(name string, d fs.DirEntry) error {
				out[name] = d
				return out.check()
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// check returns an error if there are too many entries.
func (e entries) check() error {
	if len(e) > limit.GlobFound {
		return errFound
	}
	return nil
}

// below returns the directories and all directories below them, and, if files is set, the files in them. It does not follow a link that
// leads to a directory above it.
func (g *globber) below(dirs entries, files bool) (entries, error) {
	out := entries{}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if out[dir] != nil {
			continue
		}
		err := g.walk(dir, anyDirs, func(name string, d fs.DirEntry) error {
			switch {
			case out[name] != nil:
				return doublestar.SkipDir // it was read before
			case files || g.isDir(name, d):
				out[name] = d
			}
			if g.leadsUp(name, d) {
				return doublestar.SkipDir
			}
			return out.check()
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leadsUp reports whether an entry is a link to a directory above it.
func (g *globber) leadsUp(name string, d fs.DirEntry) bool {
	if d.Type()&(fs.ModeSymlink|fs.ModeIrregular) == 0 || !g.isDir(name, d) {
		return false
	}
	link := filepath.Join(g.base, filepath.FromSlash(name))
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	at, err := filepath.EvalSymlinks(filepath.Dir(link))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(target, at)
	return err == nil && filepath.IsLocal(rel)
}

// walk calls visit for everything in a directory that a pattern fits.
func (g *globber) walk(dir, pattern string, visit func(name string, d fs.DirEntry) error) error {
	if err := g.stopped(); err != nil {
		return err
	}
	at := filepath.Join(g.base, filepath.FromSlash(dir))
	err := doublestar.GlobWalk(stoppable{FS: os.DirFS(at), dir: at, of: g}, pattern, func(name string, d fs.DirEntry) error { return visit(path.Join(dir, name), d) })
	return cmp.Or(g.refused, err)
}

// isDir reports whether an entry is a directory or a link to one.
func (g *globber) isDir(name string, d fs.DirEntry) bool {
	if d.Type()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
		return d.IsDir()
	}
	info, err := os.Stat(filepath.Join(g.base, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// stoppable is the file system of a directory. Once the call is stopped, ReadDir fails.
type stoppable struct {
	fs.FS
	dir string
	of  *globber
}

// ReadDir checks for the stop, because a walk spends its time in ReadDir.
func (s stoppable) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	list, err := readDir(filepath.Join(s.dir, filepath.FromSlash(name)), s.of.stopped)
	if errors.Is(err, errEntries) {
		s.of.refused = err
	}
	return list, err
}

// Stat uses the fast implementation of the underlying file system.
func (s stoppable) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }
