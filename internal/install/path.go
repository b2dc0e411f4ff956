package install

import (
	"path/filepath"
	"slices"
	"strings"
)

// SafeEnviron returns an environment for programs that run unconfined: its PATH has no relative directory and none inside the writable
// ones, which confined code can write to, and the variables of a shell that name the working directory are absent.
func SafeEnviron(environ []string, writable ...string) []string {
	out := make([]string, 0, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains([]string{"PWD", "OLDPWD", "CDPATH"}, name):
		case strings.EqualFold(name, "PATH"):
			out = append(out, name+"="+strings.Join(outside(value, writable), string(filepath.ListSeparator)))
		default:
			out = append(out, entry)
		}
	}
	return out
}
