package install

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of one source.
const (
	MaxFiles = 10_000
	// MaxBytes limits the total size of a source's files and, separately, the bytes of the received pack. MaxObjects and MaxUnpacked
	// limit the objects in the pack, and their size together when they are unpacked, in bytes.
	MaxBytes    = 200 << 20
	MaxObjects  = 500_000
	MaxUnpacked = 2 << 30
	maxPath     = 1024
)

// guard decides for each entry of a source whether it may be written. It rejects entries and never repairs them.
type guard struct {
	files int
	bytes int64
	// seen maps case-folded paths to the original paths, including directories.
	seen map[string]string
}

func newGuard() *guard { return &guard{seen: map[string]string{}} }

// admit checks an entry. name is a slash-separated path; size is in bytes.
func (g *guard) admit(name string, size int64) error {
	if err := checkPath(name); err != nil {
		return err
	}
	if g.files++; g.files > MaxFiles {
		return fmt.Errorf("the source has more than %d files", MaxFiles)
	}
	if g.bytes += size; size < 0 || g.bytes > MaxBytes {
		return fmt.Errorf("the source has more than %d MB", MaxBytes>>20)
	}
	key := folded(name)
	if other, ok := g.seen[key]; ok {
		return fmt.Errorf("%q and %q are the same file on systems that ignore case", other, name)
	}
	g.seen[key] = name
	return g.parents(name)
}

// parents returns an error if two directories differ only in case.
func (g *guard) parents(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		key := folded(dir)
		other, ok := g.seen[key]
		if ok && other != dir {
			return fmt.Errorf("%q and %q are the same directory on systems that ignore case", other, dir)
		}
		if ok {
			return nil
		}
		g.seen[key] = dir
	}
	return nil
}

// folded returns a path for comparison without case. It converts to upper case first, because several lower-case letters can
// share one upper-case letter.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// checkPath returns an error for paths that lead out of their directory or that are unsafe to show in a terminal.
func checkPath(name string) error {
	switch {
	case name == "" || len(name) > maxPath:
		return fmt.Errorf("the path %.40q has %d bytes; at most %d are allowed", name, len(name), maxPath)
	case !utf8.ValidString(name):
		return fmt.Errorf("the path %q is not UTF-8", name)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) }):
		return fmt.Errorf("the path %q contains control characters", name)
	case strings.HasPrefix(name, "/"):
		return fmt.Errorf("the path %q is absolute", name)
	case strings.Contains(name, `\`):
		return fmt.Errorf("the path %q contains a backslash", name)
	case drive().MatchString(name):
		return fmt.Errorf("the path %q is absolute", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return fmt.Errorf("the path %q leads out of its directory", name)
		case strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1"):
			return fmt.Errorf("the path %q is git's own", name)
		}
	}
	return nil
}
