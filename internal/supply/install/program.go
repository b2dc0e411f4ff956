package install

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

// helperMark is the environment variable by which the descendants of git and go are found.
const helperMark = "AURA_INSTALL"

// helperLinger is how long the descendants of git or go may still write after the program has exited.
const helperLinger = time.Second

// program finds a program in the PATH of the options' environment.
func (o Options) program(name string) (string, error) {
	path := o.variable("PATH")
	if path == "" && runtime.GOOS == "windows" {
		path = o.variable("Path")
	}
	return LookPath(name, path, o.changeable()...)
}

// changeable returns the directories that confined code can write to.
func (o Options) changeable() []string { return append([]string{o.Workdir}, o.Writable...) }

// LookPath finds a program that will run unconfined. It searches only directories of PATH that are outside of the writable ones,
// which confined code can write to. It skips a link to a program in a writable directory.
func LookPath(name, path string, writable ...string) (string, error) {
	for _, dir := range outside(path, writable) {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil && !insideAny(writable, resolved(found)) {
			return found, nil
		}
	}
	return "", fmt.Errorf("looking for %s: no directory of PATH that tools cannot change has it", name)
}

// outside returns the directories of a PATH without relative ones and those that confined code can write to.
func outside(path string, writable []string) []string {
	return slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) || insideAny(writable, dir) })
}

// Changeable reports whether confined code can write to a path: it is in one of the writable directories, or leads there.
func Changeable(path string, writable ...string) bool {
	return filepath.IsAbs(path) && insideAny(writable, path)
}

func insideAny(roots []string, dir string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return inside(root, dir) })
}

// environ returns the environment of a program that runs unconfined, without the given variables. Its PATH is restricted as in
// LookPath, so the program's own children are found the same way.
func (o Options) environ(without ...string) []string {
	var out []string
	for _, entry := range o.Environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case slices.ContainsFunc(without, func(n string) bool { return strings.EqualFold(n, name) }):
		case strings.EqualFold(name, "PATH"):
			out = append(out, name+"="+strings.Join(outside(value, o.changeable()), string(filepath.ListSeparator)))
		default:
			out = append(out, entry)
		}
	}
	return out
}

// inside reports whether a directory is the root or is located in it, by its path or after links are resolved. Nothing is
// inside an empty root.
func inside(root, dir string) bool {
	return root != "" && (files.Within(root, dir) || files.Within(resolved(root), resolved(dir)))
}

// resolved returns a path with its links resolved, or the path itself if it cannot be resolved.
func resolved(path string) string {
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	return path
}
