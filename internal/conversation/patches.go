package conversation

import (
	"path/filepath"
	"slices"
	"strings"
)

// patchHeads begin the lines of a patch that name a file which it changes.
var patchHeads = []string{"*** Update File: ", "*** Add File: "}

// patchedFiles returns the files that a successful call has changed, each once and relative to the working directory where
// they lie below it. Tools that do not change files have none.
func patchedFiles(tool string, args map[string]any, workdir string) []string {
	var paths []string
	switch tool {
	case "Write", "Edit":
		if path, ok := args["path"].(string); ok {
			paths = append(paths, path)
		}
	case "Patch":
		patch, _ := args["patch"].(string)
		for line := range strings.Lines(patch) {
			for _, head := range patchHeads {
				if path, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), head); ok {
					paths = append(paths, strings.TrimSpace(path))
				}
			}
		}
	}
	for i := range paths {
		paths[i] = spelled(paths[i], workdir)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// spelled returns the one way in which a path is written here.
func spelled(path, workdir string) string {
	path = filepath.Clean(path)
	if filepath.IsAbs(path) && filepath.IsAbs(workdir) {
		if relative, err := filepath.Rel(workdir, path); err == nil && filepath.IsLocal(relative) {
			path = relative
		}
	}
	return filepath.ToSlash(path)
}
