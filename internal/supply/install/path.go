package install

import (
	"path/filepath"
	"slices"
	"strings"
)

// SafeEnviron returns an environment for programs that run unconfined: without the paths that confined code can write to, and without
// relative directories in PATH. A variable that consists of such paths is left out. dropped lists the directories that PATH loses.
func SafeEnviron(environ []string, writable ...string) (kept, dropped []string) {
	kept = make([]string, 0, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		search := strings.EqualFold(name, "PATH")
		parts := filepath.SplitList(value)
		safe := slices.DeleteFunc(slices.Clone(parts), func(part string) bool {
			lost := Changeable(part, writable...) || search && !filepath.IsAbs(part)
			if lost && search {
				dropped = append(dropped, part)
			}
			return lost
		})
		switch {
		case name == "CDPATH":
		case name == "HOME":
			kept = append(kept, entry) // the user's own settings are below it, and stay read-only
		case len(safe) == len(parts):
			kept = append(kept, entry)
		case len(safe) > 0:
			kept = append(kept, name+"="+strings.Join(safe, string(filepath.ListSeparator)))
		}
	}
	return kept, dropped
}
