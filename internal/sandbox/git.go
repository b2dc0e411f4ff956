package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

// What Git believes: hooks and settings name programs, and commondir says where to look for both. A linked working tree has but
// the settings that are its own.
var (
	gitSettings    = []string{"hooks", "config", "config.worktree", "commondir"}
	linkedSettings = []string{"config.worktree", "commondir"}
	commonSettings = []string{"hooks", "config"}
)

// gitName is what a repository has in its working tree: a directory or, in a linked working tree and a submodule, a file that
// leads to one.
const gitName = ".git"

// GitPaths is what decides which programs Git runs in a working directory and in the repositories right below it. If there is no
// repository, the name is among them, so that nobody puts one there. Home is whose settings Git reads beside.
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

// Repositories is what decides which programs Git runs. Files are those of it that are never made.
type Repositories struct{ Paths, Files []string }

// ownRepository is what Git believes of the repository that a directory is in.
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

// repository is what Git believes of the repository that a working tree belongs to.
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

// isGitFile tells what Git has as a file, or may have, from directories such as those of aura's settings.
func isGitFile(path string) bool {
	dir, name := filepath.Split(path)
	inGit := filepath.Base(dir) == gitName || exists(filepath.Join(dir, "HEAD"))
	return name == gitName || inGit && name != "hooks" && slices.Contains(gitSettings, name)
}

// unmade tells what is not made if it is missing.
func (p Policy) unmade(path string) bool { return isGitFile(path) || slices.Contains(p.Named, path) }

// leadsTo is the path that stands in a file after a prefix; empty if it is not there.
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

// Absent are the paths that are not protected, because they do not exist: a program can make them. A missing directory is made and
// protected if there is one around it.
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
