// Package hooks runs the user's shell hooks before and after tool calls. A hook is compiled once, matched by the name of
// the tool and the names of the files that a call touches, and run in a limited process of its own. It receives the call
// as JSON on its standard input and answers by its exit status and by what it prints:
//
//   - 0: what it prints on standard output is {"message": …, "deny": …, "reason": …}, or a plain message; a value of the
//     wrong type is a failure, which does not block the call
//   - 2: a pre hook blocks the call, with standard error as the reason; of a post hook it is feedback
//   - any other: standard error, or else standard output, is feedback
//
// Nothing that a hook does ends the session: whatever goes wrong becomes a bounded text that names the hook.
package hooks

import (
	"path/filepath"
	"regexp"
	"time"
)

// DefaultTimeout is how long a hook may run that does not say otherwise.
const DefaultTimeout = 10 * time.Second

// The events of a hook, as configuration spells them.
const (
	EventPre  = "pre"
	EventPost = "post"
)

// Entry is a compiled hook.
type Entry struct {
	Name        string
	Description string
	// Event is EventPre or EventPost.
	Event string
	// Matcher chooses tools by name; nil is every tool.
	Matcher *regexp.Regexp
	// Files is a pattern of filepath.Match for base names; empty is every call, also one without files.
	Files   string
	Command string
	// Timeout is DefaultTimeout where it is 0.
	Timeout time.Duration
	// Depends are the hooks of the same event that run before this one.
	Depends []string
	// Silent drops all that the hook prints, and its exit status.
	Silent bool
}

// MatchedPaths returns the paths whose base names fit Files; all of them, as they are, if there is no pattern.
func (e Entry) MatchedPaths(paths []string) []string {
	if e.Files == "" {
		return paths
	}
	var matched []string
	for _, path := range paths {
		// A pattern that is malformed is refused when the hook is compiled; in an entry made by hand it fits nothing.
		if ok, err := filepath.Match(e.Files, filepath.Base(path)); err == nil && ok {
			matched = append(matched, path)
		}
	}
	return matched
}

// Skip says why the hook does not run for a call; it is empty if it does.
func (e Entry) Skip(c Call) string {
	if e.Matcher != nil && !e.Matcher.MatchString(c.Tool) {
		return "the matcher " + e.Matcher.String() + " does not match tool " + c.Tool
	}
	if e.Files != "" && len(e.MatchedPaths(c.Paths)) == 0 {
		return "no file of the call matches " + e.Files
	}
	return ""
}
