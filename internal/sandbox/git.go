package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

// The paths that Git trusts: hooks and settings name programs, and commondir says where to look for both. A linked working tree
// has only its own settings.
var (
	gitSettings    = []string{"hooks", "config", "config.worktree", "commondir"}
	linkedSettings = []string{"config.worktree", "commondir"}
	commonSettings = []string{"hooks", "config"}
)

// gitName is the entry of a repository in its working tree. It is a directory or, in a linked working tree and in a submodule,
// a file that names a directory.
const gitName = ".git"

// GitPaths returns the paths that decide which programs Git runs in a working directory and in the repositories directly below
// it. If the working directory has no repository, its .git is among the paths, so that no confined code can create one. Git
// also reads the settings in home.
func GitPaths(workdir, home string) *Repositories {
	if workdir == "" {
		return &Repositories{}
	}
	out := ownRepository(workdir)
	for _, dir := range subdirectories(workdir, maxRepositories) {
		if found := filepath.Join(dir, gitName); exists(found) {
			out = append(out, repository(found)...)
		}
	}
	for _, dir := range gitDirs(out) {
		out = append(out, modules(dir)...)
	}
	hooks, includes := pointedTo(workdir, home, out)
	return &Repositories{Paths: append(out, hooks...), Files: includes}
}

// Repositories lists the paths that decide which programs Git runs. Files lists those that are never created if they are
// missing.
type Repositories struct{ Paths, Files []string }

// ownRepository returns the paths that Git trusts in the repository that contains a directory.
func ownRepository(workdir string) []string {
	own := filepath.Join(workdir, gitName)
	out := below(own, gitSettings)
	if !isDir(own) {
		out = append(out, own)
	}
	for dir := workdir; ; dir = filepath.Dir(dir) {
		if found := filepath.Join(dir, gitName); exists(found) {
			return append(out, repository(found)...)
		}
		if dir == filepath.Dir(dir) {
			return out
		}
	}
}

// repository returns the paths that Git trusts in the repository of a working tree. found is the path of its .git.
func repository(found string) []string {
	dir := leadsTo(found, "gitdir: ")
	if isDir(found) {
		dir = found
	}
	if dir == "" {
		return nil
	}
	common := leadsTo(filepath.Join(dir, "commondir"), "")
	if common == "" {
		return below(dir, gitSettings)
	}
	return slices.Concat(below(dir, linkedSettings), below(common, commonSettings))
}

// isGitFile reports whether Git has, or may have, a file at a path. It is false for directories such as those of aura's
// settings.
func isGitFile(path string) bool {
	dir, name := filepath.Split(path)
	inGit := filepath.Base(dir) == gitName || exists(filepath.Join(dir, "HEAD"))
	return name == gitName || inGit && name != "hooks" && slices.Contains(gitSettings, name)
}

// unmade reports whether a missing path is not created.
func (p Policy) unmade(path string) bool { return isGitFile(path) || slices.Contains(p.Named, path) }

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
		if !exists(covering(p.ReadWrite, path)) || exists(path) {
			continue
		}
		dir := filepath.Dir(path)
		switch {
		case !exists(dir):
			path = dir
		case !p.unmade(path):
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
