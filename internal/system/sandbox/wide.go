package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries is how many entries of a home directory are granted one by one.
const maxEntries = 1000

// work returns the writable part of the working directory. If the working directory is or contains the home directory, work
// returns its entries whose names do not begin with a dot and that do not contain the home directory: everything else belongs
// to other programs. If the working directory is the root directory, work returns nothing.
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
		// A link leads elsewhere, and any process that can write its target can replace what it leads to.
		if !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type().IsRegular()) && !at.holdsHome(path) {
			out = append(out, path)
		}
	}
	return out
}

// holdsHome reports whether a directory is or contains the home directory.
func (at Place) holdsHome(dir string) bool {
	return dir != "" && at.Home != "" && within(resolve(dir), resolve(at.Home))
}

// atHome reports whether the working directory is the home directory.
func (at Place) atHome() bool {
	return at.Workdir != "" && at.Home != "" && resolve(at.Workdir) == resolve(at.Home)
}

func isRoot(dir string) bool { return dir != "" && filepath.Dir(resolve(dir)) == resolve(dir) }

// temporary returns the directories for temporary files that are writable. It leaves out those that contain the home directory.
func (at Place) temporary(dirs ...string) []string {
	return slices.DeleteFunc(present(dirs...), at.wide)
}

// wide reports whether a directory for temporary files contains the home directory or the whole system.
func (at Place) wide(dir string) bool { return isRoot(dir) || at.holdsHome(dir) }

// Wide reports whether the working directory is the whole system, or contains the home directory: it is no project then.
func (at Place) Wide() bool { return at.wide(at.Workdir) }

// Warnings returns sentences about a place where not all of the usual grants are possible. Each sentence says what to do.
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
