package fleet

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// Names checks the paths of files that come from other machines. A path must mean the same file on every system, and stay in its
// directory. The zero value is ready for use.
type Names struct {
	// seen holds each path and each directory as it was written, by its lower case.
	seen map[string]string
}

// Add returns an error if a path, with slashes, cannot be written beside those before.
func (n *Names) Add(path string) error {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return fmt.Errorf("%q leads out of the directory", path)
	}
	if n.seen == nil {
		n.seen = map[string]string{}
	}
	for at, rest := "", path; rest != ""; {
		name, after, _ := strings.Cut(rest, "/")
		if RepositoryName(name) {
			return fmt.Errorf("%q is a file of a repository, whose settings make git run programs", path)
		}
		at, rest = strings.TrimPrefix(at+"/"+name, "/"), after
		lower := strings.ToLower(at)
		if before, ok := n.seen[lower]; ok && before != at {
			return fmt.Errorf("%q and %q differ only in letter case, and some systems take them for the same file", before, at)
		}
		n.seen[lower] = at
	}
	return nil
}

// RepositoryName reports whether git, on any system, takes a name for that of a repository. Windows ignores dots and spaces at the end,
// has short names, and cuts at a colon; macOS ignores invisible characters.
func RepositoryName(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ":")
	name = strings.TrimRight(strings.Map(visible, name), ". ")
	return name == ".git" || name == "git~1"
}

func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
