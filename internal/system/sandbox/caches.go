package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// caches lists the directories below the home directory that builds write to. It leaves out the directories of programs beside
// the caches: a program put there could later run outside of the sandbox.
var caches = []string{".cache", "go/pkg", ".cargo/registry", ".cargo/git", ".npm", ".gradle/caches", ".m2/repository"}

// fillers maps a cache to the program that fills it. An empty name means any program. A cache without an entry is never
// created.
var fillers = map[string]string{".cache": "", "go/pkg": "go", ".cargo/registry": "cargo", ".cargo/git": "cargo", ".npm": "npm"}

// filled returns the caches that an installed program fills, and those that the environment names.
func (at Place) filled() []string {
	used := slices.DeleteFunc(slices.Clone(caches), func(cache string) bool {
		program, known := fillers[cache]
		return !known || program != "" && !at.has(program)
	})
	out := present(at.Caches...)
	if isDir(at.Home) {
		out = append(below(at.Home, used), out...)
	}
	return out
}

// has reports whether a program exists in one of the directories of Path.
func (at Place) has(program string) bool {
	return slices.ContainsFunc(present(at.Path...), func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, program))
		return err == nil && info.Mode().IsRegular()
	})
}
