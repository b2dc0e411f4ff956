package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// The limits of the search for repositories. They are needed because a working directory may contain anything.
const (
	// maxEntriesRead is how many entries of a directory are examined.
	maxEntriesRead = 1 << 14
	// maxRepositories is how many Git directories are examined.
	maxRepositories = 256
	// maxTrees is how many repositories directly below the working directory are protected. Each takes mounts in every process.
	maxTrees = 1024
	// maxHooks is how many directories of hooks are protected that settings name.
	maxHooks = 1024
	// moduleDepth is how many levels deep submodules are searched: their names may have several parts.
	moduleDepth = 4
	// maxIncludes is how many files of Git settings are read.
	maxIncludes = 32
	// maxScripts is how many files are protected that other settings name.
	maxScripts = 256
	// maxSettings is the largest size of such a file, in bytes.
	maxSettings = 1 << 20
)

// subdirectories lists the directories among the first limit entries of a directory. all is false if there are more entries.
func subdirectories(dir string, limit int) (out []string, all bool) {
	// Git finds nothing in a directory that cannot be read.
	entries, _ := files.ReadDir(dir, limit+1)
	for _, e := range entries[:min(len(entries), limit)] {
		if e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, len(entries) <= limit
}

// modules examines the submodules of a repository. root is the directory of their Git directories.
func (s *gitSearch) modules(root string) {
	looked := 0
	// A directory that cannot be read contains no submodule that Git could use.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch looked++; {
		case err != nil:
			return filepath.SkipDir
		case looked > maxEntriesRead, s.full():
			s.whole(root)
			return filepath.SkipAll
		case !d.IsDir():
			return nil
		}
		if path != root && files.Exists(filepath.Join(path, "HEAD")) {
			s.repository(path, path)
			return filepath.SkipDir
		}
		if rel, err := filepath.Rel(root, path); err == nil && strings.Count(rel, string(filepath.Separator)) >= moduleDepth {
			return filepath.SkipDir
		}
		return nil
	})
}

// pointedTo returns the paths outside of the usual places that Git's settings name: directories of hooks, and included files of
// settings. The files that the environment names are among the latter, and the user's settings if a link leads to them.
func (s *gitSearch) pointedTo(workdir string, environ []string) (hooks, includes []string) {
	usual, includes := usersSettings(workdir, s.home, environ)
	for _, file := range usual {
		// A link may lead to a place that confined code can write.
		if _, links := follow(file); len(links) > 0 && !slices.Contains(includes, file) {
			includes = append(includes, file)
		}
	}
	queue := s.queue(workdir, usual)
	queued := map[gitSource]bool{}
	for _, source := range queue {
		queued[source] = true
	}
	left := maxIncludes
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		names := s.settings(at.file)
		hooks = append(hooks, expandAll(names.hooks, at.root, s.home)...)
		s.scripts(workdir, at.root, names.scripts)
		for _, path := range expandAll(names.includes, filepath.Dir(at.file), s.home) {
			if !slices.Contains(includes, path) {
				if left--; left < 0 {
					continue
				}
				includes = append(includes, path)
			}
			if source := (gitSource{path, at.root}); !queued[source] {
				queued[source] = true
				queue = append(queue, source)
			}
		}
	}
	if left < 0 {
		s.lacks("the settings of Git include more than %d files: the others are not protected, nor are the hooks that they name", maxIncludes)
	}
	if len(hooks) > maxHooks {
		s.lacks("the settings of Git name more than %d directories of hooks: the others are not protected", maxHooks)
		hooks = hooks[:maxHooks]
	}
	return hooks, includes
}

// queue returns the files of settings to read: those of the repositories, and the usual ones for every working tree.
func (s *gitSearch) queue(workdir string, usual []string) []gitSource {
	var roots []string
	seen := map[string]bool{}
	for _, source := range s.sources {
		if !seen[source.root] {
			seen[source.root] = true
			roots = append(roots, source.root)
		}
	}
	if roots == nil {
		roots = []string{workdir} // the user may create a repository there
	}
	queue := slices.Clone(s.sources)
	for _, file := range usual {
		for _, root := range roots {
			queue = append(queue, gitSource{file, root})
		}
	}
	return queue
}

// settings returns what a file of Git settings names. A file that cannot be read names nothing.
func (s *gitSearch) settings(file string) gitNames {
	names, ok := s.parsed[file]
	if !ok {
		text, _ := files.Read(file, maxSettings)
		names = parseSettings(string(text))
		s.parsed[file] = names
	}
	return names
}

// usersSettings returns the files of settings that apply to all repositories. named lists those that the environment names:
// they can be located anywhere.
func usersSettings(workdir, home string, environ []string) (all, named []string) {
	all = []string{"/etc/gitconfig"}
	if home != "" {
		all = append(all, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case value == "":
			continue
		case name == "XDG_CONFIG_HOME":
			value = filepath.Join(value, "git", "config")
		case name != "GIT_CONFIG_GLOBAL" && name != "GIT_CONFIG_SYSTEM":
			continue
		}
		if value = expand(value, workdir, ""); value != os.DevNull && !slices.Contains(all, value) {
			all, named = append(all, value), append(named, value)
		}
	}
	return all, named
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

// expandAll makes paths of Git's settings absolute.
func expandAll(paths []string, dir, home string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		out = append(out, expand(path, dir, home))
	}
	return out
}

// gitNames is what a file of Git settings names: directories of hooks, other files of settings, the working tree, and scripts.
type gitNames struct {
	hooks, includes []string
	worktree        string
	// scripts lists the words of all settings that can run something.
	scripts []scriptWord
}

// parseSettings returns what a file of Git settings names. It is more lenient than Git: an extra path is harmless, because the
// sandbox only makes it read-only.
func parseSettings(text string) gitNames {
	out := gitNames{scripts: scriptWords(text)}
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
			out.hooks = append(out.hooks, value)
		case section == "core" && name == "worktree":
			out.worktree = value
		case (section == "include" || section == "includeif") && name == "path":
			out.includes = append(out.includes, value)
		}
	}
	return out
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
