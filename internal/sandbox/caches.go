package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// caches are what builds write below the home directory. The directories of programs beside them are not among them: what is
// put there would run outside of the sandbox one day.
var caches = []string{".cache", "go/pkg", ".cargo/registry", ".cargo/git", ".npm", ".gradle/caches", ".m2/repository"}

// fillers are the programs without which there is no need for a cache; nothing is everybody's.
var fillers = map[string]string{".cache": "", "go/pkg": "go", ".cargo/registry": "cargo", ".cargo/git": "cargo", ".npm": "npm"}

// filled are the caches that something on this machine fills, or is told to by the environment.
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

// has reports whether there is such a program.
func (at Place) has(program string) bool {
	return slices.ContainsFunc(present(at.Path...), func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, program))
		return err == nil && info.Mode().IsRegular()
	})
}
