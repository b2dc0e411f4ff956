package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// The paths that Git trusts: hooks and settings name programs, and commondir says where to look for both. A linked working tree
// has only its own settings.
var (
	gitSettings    = []string{"hooks", "config", "config.worktree", "commondir"}
	linkedSettings = []string{"config.worktree", "commondir"}
)

// gitName is the entry of a repository in its working tree. It is a directory or, in a linked working tree and in a submodule,
// a file that names a directory.
const gitName = ".git"

// GitPaths returns the paths that decide which programs Git runs in a working directory and in the repositories directly below
// it, with their submodules and linked working trees. If the working directory has no repository, its .git is among the paths,
// so that no confined code can create one. Git also reads the settings in home and those that environ names.
func GitPaths(workdir, home string, environ ...string) *Repositories {
	if workdir == "" {
		return &Repositories{}
	}
	s := &gitSearch{home: home, has: map[string]bool{}, seen: map[string]bool{}, sourced: map[gitSource]bool{}, parsed: map[string]gitNames{}}
	own := filepath.Join(workdir, gitName)
	s.add(below(own, gitSettings)...)
	if !isDir(own) {
		s.add(own)
	}
	for dir := workdir; !s.tree(dir) && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
	}
	s.treesBelow(workdir)
	if len(s.unseen) > 0 {
		s.lacks("there are more than %d repositories, submodules and linked working trees: what the settings and hooks of the others lead to "+
			"is not protected, such as those in %s", maxRepositories, s.unseen[0])
	}
	hooks, includes := s.pointedTo(workdir, environ)
	s.add(hooks...)
	links := newLinkSearch(workdir, 1)
	for _, dir := range append(s.hooks, hooks...) {
		links.search(dir)
	}
	return &Repositories{Paths: s.paths, Configs: s.configs, Files: slices.Concat(includes, links.links.Paths, s.named), Uncovered: append(s.uncovered, links.links.Uncovered...)}
}

// treesBelow examines the repositories directly below the working directory.
func (s *gitSearch) treesBelow(workdir string) {
	dirs, all := subdirectories(workdir, maxEntriesRead)
	if !all {
		s.lacks("%s contains more than %d entries: repositories among the others are not protected", workdir, maxEntriesRead)
	}
	trees := 0
	for _, dir := range dirs {
		if trees == maxTrees {
			s.lacks("%s contains more than %d repositories: those from %s on are not protected", workdir, maxTrees, filepath.Base(dir))
			return
		}
		if s.tree(dir) {
			trees++
		}
	}
}

// Repositories lists the paths that decide which programs Git runs. Files lists those that are never created if they are
// missing, and links to such files. Configs lists the files of Paths that contain the settings of repositories. Uncovered holds sentences about what was not searched.
type Repositories struct{ Paths, Files, Configs, Uncovered []string }

// gitSearch collects repositories.
type gitSearch struct {
	home string
	// paths lists what Git trusts, each path once by has, and hooks the usual directories of hooks. seen holds the Git directories that
	// were examined.
	// configs lists the settings of the repositories.
	paths, hooks, configs []string
	has, seen             map[string]bool
	// sources lists the files of settings, each with the directories that it applies to. parsed holds what files of settings name.
	sources []gitSource
	sourced map[gitSource]bool
	parsed  map[string]gitNames
	// named lists the scripts that settings name, and crowded is set if there are more.
	named   []string
	crowded bool
	// unseen lists paths that are protected but not examined.
	unseen []string
	// uncovered holds sentences about what is not protected because there is too much of it.
	uncovered []string
}

// gitSource is a file of settings and a directory where Git runs hooks under these settings: the root of a working tree or, in a
// repository without one, the Git directory.
type gitSource struct{ file, root string }

func (s *gitSearch) add(paths ...string) {
	for _, path := range paths {
		if !s.has[path] {
			s.has[path] = true
			s.paths = append(s.paths, path)
		}
	}
}

func (s *gitSearch) lacks(format string, args ...any) {
	s.uncovered = append(s.uncovered, fmt.Sprintf(format, args...))
}

// tree examines the repository of a directory, and reports whether the directory is the root of a working tree or a repository
// without one.
func (s *gitSearch) tree(dir string) bool {
	found := filepath.Join(dir, gitName)
	switch {
	case s.full() && files.Exists(found):
		s.whole(found)
	case isDir(found):
		s.repository(found, dir)
	case files.Exists(found):
		s.add(found)
		if to := leadsTo(found, "gitdir: "); to != "" {
			s.repository(to, dir)
		}
	case isBare(dir):
		s.repository(dir, dir)
	default:
		return false
	}
	return true
}

// full reports whether as many Git directories were examined as may be. Further ones are protected as a whole: confined code can
// create repositories, but must not crowd out the ones that the user has.
func (s *gitSearch) full() bool { return len(s.seen) >= maxRepositories }

// whole protects a directory that is not examined.
func (s *gitSearch) whole(dir string) {
	s.add(dir)
	s.unseen = append(s.unseen, dir)
}

// repository examines a Git directory. root is where Git runs hooks for it, if its settings name no other working tree.
func (s *gitSearch) repository(dir, root string) {
	common := leadsTo(filepath.Join(dir, "commondir"), "")
	config := filepath.Join(cmp.Or(common, dir), "config")
	roots := []string{root}
	for _, file := range []string{config, filepath.Join(dir, "config.worktree")} {
		if tree := s.settings(file).worktree; tree != "" {
			roots = append(roots, expand(tree, dir, s.home))
		}
	}
	for _, root := range roots {
		// The .git of a submodule names its Git directory.
		if entry := filepath.Join(root, gitName); files.Exists(entry) && !isDir(entry) {
			s.add(entry)
		}
		s.source(gitSource{config, root})
		s.source(gitSource{filepath.Join(dir, "config.worktree"), root})
	}
	if s.seen[dir] {
		return
	}
	s.seen[dir] = true
	if common == "" {
		s.add(below(dir, gitSettings)...)
		s.hooks, s.configs = append(s.hooks, filepath.Join(dir, "hooks")), append(s.configs, config)
	} else {
		s.add(below(dir, linkedSettings)...)
		s.repository(common, usualRoot(common))
	}
	s.linkedTrees(filepath.Join(dir, "worktrees"))
	s.modules(filepath.Join(dir, "modules"))
}

func (s *gitSearch) source(source gitSource) {
	if !s.sourced[source] {
		s.sourced[source] = true
		s.sources = append(s.sources, source)
	}
}

// linkedTrees examines the Git directories of the linked working trees of a repository. Their gitdir names the .git of the
// working tree.
func (s *gitSearch) linkedTrees(dir string) {
	trees, all := subdirectories(dir, maxEntriesRead)
	if !all {
		s.whole(dir)
	}
	for _, linked := range trees {
		if s.full() {
			s.whole(dir)
			return
		}
		file := filepath.Join(linked, "gitdir")
		entry := leadsTo(file, "")
		if entry == "" {
			s.repository(linked, linked)
			continue
		}
		s.add(file)
		s.repository(linked, filepath.Dir(entry))
	}
}

// usualRoot returns the root of the working tree of a Git directory, if its settings name no other.
func usualRoot(dir string) string {
	if filepath.Base(dir) == gitName {
		return filepath.Dir(dir)
	}
	return dir
}

// isBare reports whether Git takes a directory for a repository without a working tree.
func isBare(dir string) bool {
	return files.Exists(filepath.Join(dir, "HEAD")) && isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

// isGitFile reports whether Git has, or may have, a file at a path. It is false for directories such as those of aura's
// settings.
func isGitFile(path string) bool {
	dir, name := filepath.Split(path)
	inGit := filepath.Base(dir) == gitName || filepath.Base(filepath.Dir(filepath.Clean(dir))) == "worktrees" || files.Exists(filepath.Join(dir, "HEAD"))
	return name == gitName || inGit && name != "hooks" && slices.Contains(gitSettings, name)
}

// Unmade reports whether a missing path is not created.
func (p Policy) Unmade(path string) bool { return isGitFile(path) || slices.Contains(p.Named, path) }

// leadsTo returns the path that a file contains after a prefix; empty if there is none.
func leadsTo(file, prefix string) string {
	const long = 4096
	text, err := files.Read(file, long)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(text)), prefix)
	switch {
	case err != nil || !ok || path == "":
		return ""
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	default:
		return filepath.Join(filepath.Dir(file), path)
	}
}

// Absent returns the paths that are not protected because they do not exist: a program can create them. A missing directory is
// not among them if its parent exists, because it is then created and protected.
func (p Policy) Absent() []string {
	p = p.resolved()
	var out []string
	for _, path := range p.Protected {
		if !files.Exists(covering(p.ReadWrite, path)) || files.Exists(path) {
			continue
		}
		dir := filepath.Dir(path)
		switch {
		case !files.Exists(dir):
			path = dir
		case !p.Unmade(path):
			continue
		}
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
