package sandbox

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Cover says that another directory is mounted over a path in confined processes, if they have their own mounts. What the policy grants
// below the path stays there. An empty From is the private directory for temporary files; its name differs in each process, and policies are
// compared. Grants.Open sets it.
type Cover struct {
	Path string `json:"path"`
	From string `json:"from,omitempty"`
	// Layer is true for a cache with a private layer above it, which is passed as a descriptor. What is below the path is still the same.
	Layer bool `json:"layer,omitempty"`
}

// private holds the directories of this process, by what they are for and the directories that they are in.
var private = struct {
	mu    sync.Mutex
	paths map[[2]string]string
	// locks keeps other processes from removing the directories that exist, by their paths.
	locks map[string]*os.File
}{paths: map[[2]string]string{}, locks: map[string]*os.File{}}

// PrivateTemp returns the path of a directory for temporary files that belongs to this process alone; see Place.Private. It is below root, a
// directory that only the user can write, or in /tmp if root is empty. The directory is created when the first policy with it is opened, and
// what dead processes left below root is removed then. The caller must call RemovePrivateTemp before the process ends. The name is random, so
// no other process can create it first.
func PrivateTemp(root string) string { return privateDir("tmp", root) }

// PrivateCopies returns the path of such a directory for copies of Git's settings; see Place.Copies.
func PrivateCopies(root string) string { return privateDir("git", root) }

func privateDir(purpose, root string) string {
	private.mu.Lock()
	defer private.mu.Unlock()
	key := [2]string{purpose, root}
	if private.paths[key] == "" {
		name, dir := strings.ToLower(rand.Text()), root
		if root == "" {
			dir, name = systemTemp, "aura-"+purpose+"-"+name
		}
		private.paths[key] = filepath.Join(dir, name)
	}
	return private.paths[key]
}

// RemovePrivateTemp removes the directories with everything that confined code left in them. It does not follow links.
func RemovePrivateTemp() error {
	private.mu.Lock()
	defer private.mu.Unlock()
	var errs []error
	for _, path := range private.paths {
		errs = append(errs, RemoveTree(path))
	}
	for path, lock := range private.locks {
		errs = append(errs, lock.Close())
		delete(private.locks, path)
	}
	return errors.Join(errs...)
}

// RemoveTree removes a directory tree, also if some of its directories are read-only. It does not follow links.
func RemoveTree(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	// A directory that cannot be listed either is reported by RemoveAll.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a directory needs these bits to be emptied
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// systemTemp is the directory that every program may write to.
const systemTemp = "/tmp"

// temp returns the directory for temporary files that the environment names, or systemTemp.
func (at Place) temp() string {
	if at.Temp == "" {
		return systemTemp
	}
	return at.Temp
}

// private returns the private directory if it replaces the usual one by name, or nil.
func (at Place) private() []string {
	if !at.wide(at.temp()) {
		return nil
	}
	return present(at.Private)
}

// grantTemp makes the private directory the one for temporary files. It is mounted over the usual ones that are writable under the policy,
// except those that extra names or that are part of the working directory. If the usual one contains the home directory, the private one
// is used by its name too, because not every system has mounts.
func (p *Policy) grantTemp(at Place, extra []string) {
	p.Temp, p.Covers, p.private = "", nil, at.Private
	for _, dir := range at.private() {
		if covering(p.ReadWrite, dir) == "" {
			continue
		}
		p.Temp = dir
		p.ReadWrite = appendNew(p.ReadWrite, dir)
		p.Make, p.Inner = appendNew(p.Make, dir), appendNew(p.Inner, dir)
	}
	if at.Private == "" {
		return
	}
	for _, dir := range slices.Compact([]string{at.temp(), systemTemp}) {
		granted := covering(p.ReadWrite, dir) != "" && !at.wide(dir)
		instead := p.Temp != "" && dir == systemTemp && at.wide(dir) && !isRoot(dir)
		if (granted || instead) && covering(extra, dir) == "" && !within(at.Workdir, dir) {
			p.Covers = append(p.Covers, Cover{Path: dir})
		}
	}
}

// Environ adds TMPDIR to an environment if the policy grants another directory for temporary files than the usual one.
func (p Policy) Environ(environ []string) []string {
	if p.Temp == "" {
		return environ
	}
	return append(slices.Clip(environ), "TMPDIR="+p.Temp)
}

// covered returns the cover over a path; nil if there is none.
func (p *Policy) covered(path string) *Cover {
	if i := slices.IndexFunc(p.Covers, func(c Cover) bool { return c.Path == path }); i >= 0 {
		return &p.Covers[i]
	}
	return nil
}

// Replaced reports whether a path leads to another file in confined processes, because a directory is mounted over one above it. Both the
// path and the policy must have no links.
func (p Policy) Replaced(path string) bool {
	c := p.coverAround(path)
	return c != nil && !c.Layer
}

// coverAround returns the cover over the innermost granted tree that contains the path; nil if there is none.
func (p *Policy) coverAround(path string) *Cover {
	return p.covered(innermost(path, p.ReadWrite, p.ReadOnly, p.Own))
}

// innermost returns the innermost tree of the lists that contains the path, or an empty string.
func innermost(path string, lists ...[]string) string {
	tree := ""
	for _, list := range lists {
		for _, t := range list {
			if within(t, path) && len(t) > len(tree) {
				tree = t
			}
		}
	}
	return tree
}

// ReplacedIn does what Replaced does for a path that may have links and may be relative to a working directory.
func (p Policy) ReplacedIn(workdir, path string) bool {
	if len(p.Covers) == 0 {
		return false
	}
	if !filepath.IsAbs(path) {
		path = workdir + string(filepath.Separator) + path
	}
	return p.Replaced(resolve(path))
}

// appendNew appends a path unless the list contains it.
func appendNew(paths []string, path string) []string {
	if slices.Contains(paths, path) {
		return paths
	}
	return append(slices.Clip(paths), path)
}
