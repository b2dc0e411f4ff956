package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries is how many entries of a home directory are granted one by one.
const maxEntries = 1000

// work is what is writable of the working directory. If that holds the home directory or is it, these are the entries that are
// not hidden and do not lead to the home directory: all else belongs to other programs. Of the whole system it is nothing.
func (at Place) work() []string {
	switch {
	case isRoot(at.Workdir):
		return nil
	case !at.holdsHome(at.Workdir):
		return present(at.Workdir)
	}
	entries, _ := os.ReadDir(at.Workdir)
	var out []string
	for _, e := range entries[:min(len(entries), maxEntries)] {
		path := filepath.Join(at.Workdir, e.Name())
		// A link would lead elsewhere, and can be replaced by whoever can write its target.
		if !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type().IsRegular()) && !at.holdsHome(path) {
			out = append(out, path)
		}
	}
	return out
}

// holdsHome reports whether a directory is the home directory or one above it.
func (at Place) holdsHome(dir string) bool {
	return dir != "" && at.Home != "" && within(resolve(dir), resolve(at.Home))
}

// atHome reports whether the working directory is the home directory.
func (at Place) atHome() bool {
	return at.Workdir != "" && at.Home != "" && resolve(at.Workdir) == resolve(at.Home)
}

func isRoot(dir string) bool { return dir != "" && filepath.Dir(resolve(dir)) == resolve(dir) }

// temporary is those of the directories for temporary files that are writable: none that holds the home directory.
func (at Place) temporary(dirs ...string) []string {
	return slices.DeleteFunc(present(dirs...), at.wide)
}

// wide reports whether a directory for temporary files holds the home directory, or everything.
func (at Place) wide(dir string) bool { return isRoot(dir) || at.holdsHome(dir) }

// Warnings are sentences about a place in which not all that is usual can be granted, each with what to do about it.
func (at Place) Warnings() []string {
	var out []string
	switch {
	case at.atHome():
		out = append(out, "the working directory is your home directory: tools and plugins can write entries of it that do not begin "+
			"with a dot, and create nothing else; start aura in a project's directory")
	case isRoot(at.Workdir):
		out = append(out, "the working directory is "+at.Workdir+", the whole system: tools and plugins can write temporary files only; "+
			"start aura in a project's directory")
	case at.holdsHome(at.Workdir):
		out = append(out, "the working directory, "+at.Workdir+", contains your home directory: tools and plugins can write other entries of it that "+
			"do not begin with a dot, and create nothing else; start aura in a project's directory")
	}
	if dir := at.temp(); at.wide(dir) {
		instead := "cannot write it"
		if len(at.private()) > 0 {
			instead = "get a private one, which aura removes at the end"
		}
		out = append(out, "the temporary directory "+dir+" contains your home directory, so tools and plugins "+instead+
			"; set TMPDIR to a directory elsewhere")
	}
	return out
}
