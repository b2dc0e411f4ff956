package manifest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// maxName is the largest length of a plugin's name, in bytes. The name becomes part of file names.
const maxName = 128

// CheckName returns an error if a name cannot be the name of a plugin. Such a name appears in paths, patterns and on terminals.
func CheckName(name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name:
		return fmt.Errorf("%q is empty or has blanks around it", name)
	case len(name) > maxName:
		return fmt.Errorf("a name has at most %d bytes, this one has %d", maxName, len(name))
	case strings.ContainsAny(name, `/\`):
		return fmt.Errorf("%q has a slash in it; a name is not a path", name)
	case strings.Contains(name, ".."):
		return fmt.Errorf("%q has %q in it", name, "..")
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("%q begins with a dot", name)
	case strings.ContainsAny(name, "*?"):
		return fmt.Errorf("%q has a wildcard in it", name)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%q contains characters that cannot be printed", name)
	}

	return nil
}

var errName = errors.New("rename the directory, or set name: in its " + FileName)
