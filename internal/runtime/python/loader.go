package python

import (
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// LibraryDir is the directory of an installed extension that holds the packages it depends on.
const LibraryDir = ".python"

// Target returns what the interpreter loads for an extension: its file, the directory of its package, or the function that its
// metadata declares. paths are the directories from which its modules are imported, in addition to the interpreter's own.
func Target(p manifest.Plugin) (target string, paths []string) {
	if p.Entry == "" {
		return p.Dir, libraries(p.Dir)
	}
	return p.Entry, append(sources(p), libraries(p.Dir)...)
}

// sources returns the directories of the modules of a declared extension. An installed package needs none. Other extensions have
// the layout of a project: modules in the directory or in src.
func sources(p manifest.Plugin) []string {
	if !exists(filepath.Join(p.Dir, projectFile)) {
		return nil
	}
	return directories(p.Dir, filepath.Join(p.Dir, "src"))
}

// libraries returns the directory of the packages that were installed for an extension.
func libraries(dir string) []string { return directories(filepath.Join(dir, LibraryDir)) }

// directories returns the paths that are directories.
func directories(paths ...string) []string {
	var out []string
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			out = append(out, path)
		}
	}
	return out
}
