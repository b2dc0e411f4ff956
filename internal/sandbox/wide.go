package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries is how many entries of a home directory are granted one by one.
const maxEntries = 1000

// work is what is writable of the working directory. Of the home directory that is what lies right below it and is not hidden: all
// else there belongs to other programs. A directory around the home directory is not writable at all.
func (at Place) work() []string {
	switch {
	case !at.wide(at.Workdir):
		return present(at.Workdir)
	case resolve(at.Workdir) != resolve(at.Home):
		return nil
	}
	entries, _ := os.ReadDir(at.Workdir)
	var out []string
	for _, e := range entries[:min(len(entries), maxEntries)] {
		// A link would lead elsewhere, and can be replaced by whoever can write its target.
		if !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type().IsRegular()) {
			out = append(out, filepath.Join(at.Workdir, e.Name()))
		}
	}
	return out
}

// temporary is the directories for temporary files that are writable: none that holds the home directory, unless it is the
// system's own.
func (at Place) temporary(dirs ...string) []string {
	return slices.DeleteFunc(present(dirs...), func(dir string) bool { return dir != "/tmp" && at.wide(dir) })
}

// wide reports whether a directory holds the home directory, or everything.
func (at Place) wide(dir string) bool {
	if dir == "" {
		return false
	}
	dir = resolve(dir)
	return dir == filepath.Dir(dir) || at.Home != "" && within(dir, resolve(at.Home))
}

// Warnings are sentences about a place in which not all that is usual can be granted, each with what to do about it.
func (at Place) Warnings() []string {
	var out []string
	switch {
	case !at.wide(at.Workdir):
	case at.Home != "" && resolve(at.Workdir) == resolve(at.Home):
		out = append(out, "the working directory is your home directory: tools and plugins can write what lies in it and does not begin "+
			"with a dot, and nothing new beside that; start aura in a project's directory")
	default:
		out = append(out, "the working directory "+at.Workdir+" holds your home directory or the whole system, so tools and plugins cannot "+
			"write it; start aura in a project's directory")
	}
	for _, dir := range append([]string{at.Temp}, at.Writable...) {
		if dir != "/tmp" && at.wide(dir) {
			out = append(out, "the directory for temporary files, "+dir+", holds your home directory, so tools and plugins cannot write it; "+
				"set TMPDIR to another one")
		}
	}
	return out
}
