package sandbox

import (
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
)

// inside returns the directories from the working directory up to the project, which is not among them.
func (at Place) inside() []string {
	var out []string
	for dir := at.Workdir; at.Project != "" && dir != at.Project; dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return nil // the project is not above
		}
		out = append(out, dir)
	}
	return out
}

// hiding returns the paths that would hide the project's home from the working directory: each .aura inside the project would be
// used instead, and each .git that is missing would be the root of another project.
func (at Place) hiding() []string {
	var out []string
	for _, dir := range at.inside() {
		out = append(out, filepath.Join(dir, settingsName))
		if git := filepath.Join(dir, gitName); !files.Exists(git) {
			out = append(out, git)
		}
	}
	return out
}

// Hides reports whether one of the paths hides the project's home from the working directory.
func (at Place) Hides(paths []string) bool {
	dirs := at.inside()
	return slices.ContainsFunc(paths, func(path string) bool {
		name := filepath.Base(path)
		return (name == settingsName || name == gitName) && slices.Contains(dirs, filepath.Dir(path))
	})
}
