package conversation

import (
	"path/filepath"
	"slices"
	"strings"
)

// patchHeads are the prefixes of the lines in a patch that name a changed file.
var patchHeads = []string{"*** Update File: ", "*** Add File: "}

// patchedFiles returns the files that a successful call changed, each once. Paths below the working directory are relative to
// it. The result is empty for tools that do not change files.
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

// spelled returns the canonical form of a path: clean, with slashes, and relative to workdir if it is below workdir.
func spelled(path, workdir string) string {
	path = filepath.Clean(path)
	if filepath.IsAbs(path) && filepath.IsAbs(workdir) {
		if relative, err := filepath.Rel(workdir, path); err == nil && filepath.IsLocal(relative) {
			path = relative
		}
	}
	return filepath.ToSlash(path)
}
