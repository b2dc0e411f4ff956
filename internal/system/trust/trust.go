// Package trust keeps the user's consents: for which directories, and for which files in them, the requests may take effect. It
// defines requests, hashes the files that make them, and stores consents in the user's state. It runs nothing.
package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Kind is the kind of a request.
type Kind string

// The kinds, in the order in which requests are listed.
const (
	KindPlugin     Kind = "plugin"
	KindExtension  Kind = "extension"
	KindHook       Kind = "hook"
	KindMCP        Kind = "mcp"
	KindCondition  Kind = "condition"
	KindTask       Kind = "task"
	KindProvider   Kind = "provider"
	KindVariable   Kind = "variable"
	KindEnvFile    Kind = "env_file"
	KindSandbox    Kind = "sandbox"
	KindPolicy     Kind = "policy"
	KindUnsafe     Kind = "unsafe"
	KindPluginsDir Kind = "plugins_dir"
	// KindUnknown is configuration that cannot be read, so that its requests are unknown.
	KindUnknown Kind = "unknown"
	// KindMachine is no request, but what the policy of the machine changes of them.
	KindMachine Kind = "machine"
)

// Kinds returns all kinds of requests, in the order in which they are listed.
func Kinds() []Kind {
	return []Kind{
		KindPlugin, KindExtension, KindHook, KindMCP, KindCondition, KindTask, KindProvider, KindVariable, KindEnvFile, KindSandbox,
		KindPolicy, KindUnsafe, KindPluginsDir, KindUnknown,
	}
}

// Request is one thing that the files of a project ask for beyond text.
type Request struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// File is absolute. Line is 0 if the request is the whole file.
	File string `json:"file"`
	Line int    `json:"line"`
	// Text says what the request allows. It may contain anything that a file can contain, such as commands of several lines.
	Text string `json:"text"`
}

// Shown returns the text on one line. A line break is shown as \n, because it ends a comment and begins another command.
func (r Request) Shown() string {
	var lines []string
	for line := range strings.Lines(r.Text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, `\n`)
}

// Sort sorts requests by kind. Requests of the same kind keep their order.
func Sort(list []Request) {
	place := map[Kind]int{}
	for i, k := range Kinds() {
		place[k] = i
	}
	slices.SortStableFunc(list, func(a, b Request) int { return place[a.Kind] - place[b.Kind] })
}

// key identifies a request. It does not contain the line: a request that moved is not a new one.
func (r Request) key() string { return string(r.Kind) + "\x00" + r.Name + "\x00" + r.Text }

// Consent is what the user has agreed to in one directory. It is either for sources, however they change, or for pinned files.
type Consent struct {
	// Sources lists what the consent covers in the directory, by relative path, such as .aura and secrets.env.
	Sources []string `json:"sources,omitempty"`
	// Links holds the targets of sources that are links, by source. A link that leads elsewhere is not covered.
	Links map[string]string `json:"links,omitempty"`
	// Files holds the hashes of all files that the consent covers, by paths relative to the directory; nil for a consent for
	// sources.
	Files map[string]string `json:"files,omitempty"`
	// Variables holds what the consent for Files assumes about values that contain variables, by the values as written.
	Variables map[string]string `json:"variables,omitempty"`
	// Requests lists what the files requested at that time. It only serves to show what is new.
	Requests []Request `json:"requests,omitempty"`
	Given    time.Time `json:"given"`
}

// Pinned reports whether the consent applies only to the files with the recorded hashes.
func (c Consent) Pinned() bool { return c.Files != nil }

// Covers reports whether the consent is for sources and includes all of these sources.
func (c Consent) Covers(sources []string) bool {
	return !c.Pinned() && len(c.Missing(sources)) == 0
}

// Missing returns the sources that the consent does not include, because they were created later.
func (c Consent) Missing(sources []string) []string {
	return slices.DeleteFunc(slices.Clone(sources), func(s string) bool { return slices.Contains(c.Sources, s) })
}

// Without returns the consent without some of its sources.
func (c Consent) Without(sources []string) Consent {
	c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(s string) bool { return slices.Contains(sources, s) })
	return c
}

// Absent returns the sources of a consent for a directory that do not exist. They would be covered when they come back, whoever
// creates them.
func (c Consent) Absent(dir string) []string {
	return slices.DeleteFunc(slices.Clone(c.Sources), func(s string) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(s)))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// LinksOf returns the targets of the sources that are links.
func LinksOf(dir string, sources []string) map[string]string {
	out := map[string]string{}
	for _, s := range sources {
		if to := target(dir, s); to != "" {
			out[s] = to
		}
	}
	return out
}

// Moved returns the sources that are links and lead elsewhere than when the user consented, or that became links since then.
func (c Consent) Moved(dir string, sources []string) []string {
	return slices.DeleteFunc(slices.Clone(sources), func(s string) bool { return target(dir, s) == c.Links[s] })
}

// target returns what a source is if a link leads to it; empty if none does. dir must have no links in it.
func target(dir, source string) string {
	path := filepath.Join(dir, filepath.FromSlash(source))
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil && real == path:
		return ""
	case err != nil:
		to, _ := os.Readlink(path) // a link that leads nowhere, or no link
		return to
	}
	return real
}

// New returns the requests that did not exist when the consent was given.
func (c Consent) New(now []Request) []Request {
	return slices.DeleteFunc(slices.Clone(now), func(r Request) bool {
		return slices.ContainsFunc(c.Requests, func(old Request) bool { return old.key() == r.key() })
	})
}
