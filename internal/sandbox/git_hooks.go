package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

// The limits of the search for repositories. They are needed because a working directory may contain anything.
const (
	// maxRepositories is how many entries of a directory are examined.
	maxRepositories = 256
	// moduleDepth is how many levels deep submodules are searched: their names may have several parts.
	moduleDepth = 4
	// maxIncludes is how many files of Git settings are read.
	maxIncludes = 32
	// maxSettings is the largest size of such a file, in bytes.
	maxSettings = 1 << 20
)

// subdirectories lists the directories among the first limit entries of a directory.
func subdirectories(dir string, limit int) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(limit)
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(out)
	return out
}

// gitDirs returns the Git directories whose settings are among the paths.
func gitDirs(paths []string) []string {
	var out []string
	for _, path := range paths {
		if dir := filepath.Dir(path); filepath.Base(path) == "config" && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// modules returns the paths that Git trusts in the submodules of a repository.
func modules(gitDir string) []string {
	var out []string
	root, looked := filepath.Join(gitDir, "modules"), 0
	// A directory that cannot be read contains no submodule that Git could use.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if looked++; err != nil || looked > maxRepositories {
			return filepath.SkipAll
		}
		if !d.IsDir() {
			return nil
		}
		if path != root && exists(filepath.Join(path, "HEAD")) {
			out = append(out, below(path, gitSettings)...)
			out = append(out, modules(path)...)
			return filepath.SkipDir
		}
		if rel, err := filepath.Rel(root, path); err == nil && strings.Count(rel, string(filepath.Separator)) >= moduleDepth {
			return filepath.SkipDir
		}
		return nil
	})
	return out
}

// pointedTo returns the paths outside of the usual places that Git's settings name: directories of hooks, and included files of
// settings.
func pointedTo(workdir, home string, paths []string) (hooks, includes []string) {
	queue := []string{"/etc/gitconfig"}
	if home != "" {
		queue = append(queue, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	usual := len(queue)
	for _, path := range paths {
		if name := filepath.Base(path); name == "config" || name == "config.worktree" {
			queue = append(queue, path)
		}
	}
	for i := 0; i < len(queue) && i < usual+maxIncludes; i++ {
		text, err := files.Read(queue[i], maxSettings)
		if err != nil {
			continue
		}
		dirs, more := parseSettings(string(text))
		for _, path := range dirs {
			hooks = append(hooks, expand(path, workdir, home))
		}
		for _, path := range more {
			if path = expand(path, filepath.Dir(queue[i]), home); !slices.Contains(queue, path) {
				queue, includes = append(queue, path), append(includes, path)
			}
		}
	}
	return hooks, includes
}

// expand makes a path of Git's settings absolute.
func expand(path, dir, home string) string {
	switch {
	case strings.HasPrefix(path, "~/") && home != "":
		return filepath.Join(home, path[2:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	default:
		return filepath.Join(dir, path)
	}
}

// parseSettings returns the directories of hooks and the files that a file of Git settings names. It is more lenient than Git:
// an extra path is harmless, because the sandbox only makes it read-only.
func parseSettings(text string) (hooks, includes []string) {
	section := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			head, after, _ := strings.Cut(rest, "]")
			section = strings.ToLower(strings.TrimSpace(strings.SplitN(strings.TrimSpace(head), " ", 2)[0]))
			section, _, _ = strings.Cut(section, ".")
			line = strings.TrimSpace(after)
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		value = unquote(value)
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case value == "":
		case section == "core" && name == "hookspath":
			hooks = append(hooks, value)
		case (section == "include" || section == "includeif") && name == "path":
			includes = append(includes, value)
		}
	}
	return hooks, includes
}

// unquote returns a value without its quotes, its escapes and the comment after it.
func unquote(value string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(value):
			i++
			b.WriteByte(value[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}
