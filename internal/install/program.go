package install

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
)

// program finds a program in the PATH of the options' environment.
func (o Options) program(name string) (string, error) {
	path := o.variable("PATH")
	if path == "" && runtime.GOOS == "windows" {
		path = o.variable("Path")
	}
	return LookPath(name, path, o.Workdir)
}

// LookPath finds a program that runs unconfined in the directories of a PATH. Relative ones and those inside the working directory
// are skipped, because confined code can write there.
func LookPath(name, path, workdir string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || inside(workdir, dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("looking for %s: no directory of PATH outside of the project has it", name)
}

// inside reports whether a directory is the root or lies in it, by its name or by where links lead. Nothing is inside an empty root.
func inside(root, dir string) bool {
	return root != "" && (within(root, dir) || within(resolved(root), resolved(dir)))
}

// resolved is a path with its links followed, or the path itself if it leads nowhere.
func resolved(path string) string {
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	return path
}
