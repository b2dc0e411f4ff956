// Package trust keeps the user's consents: for which directories, and for which files in them, whatever they ask for may take
// effect. It knows what a request is, hashes the files behind the requests, and stores consents in the user's state. It runs nothing.
package trust

import (
	"slices"
	"time"
)

// Kind is a sort of request.
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
	// KindUnknown is configuration that cannot be read, so that nobody knows what it asks for.
	KindUnknown Kind = "unknown"
)

// Kinds are all kinds of requests, in the order in which they are listed.
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
	// File is absolute. Line is 0 where the whole file is meant.
	File string `json:"file"`
	Line int    `json:"line"`
	// Text says what it may do, in one line. It may hold anything that a file can hold.
	Text string `json:"text"`
}

// Sort puts requests in the order of their kinds. Within a kind they stay as they are.
func Sort(list []Request) {
	place := map[Kind]int{}
	for i, k := range Kinds() {
		place[k] = i
	}
	slices.SortStableFunc(list, func(a, b Request) int { return place[a.Kind] - place[b.Kind] })
}

// key is what makes two requests the same one. The line does not count: a request that moved is not a new one.
func (r Request) key() string { return string(r.Kind) + "\x00" + r.Name + "\x00" + r.Text }

// Consent is what the user has agreed to in one directory. It is either for sources, whatever becomes of them, or for files.
type Consent struct {
	// Sources are the things in the directory that are covered, relative to it, such as .aura and secrets.env.
	Sources []string `json:"sources,omitempty"`
	// Files are the hashes of all files that are covered, by their paths relative to the directory; nil for a directory.
	Files map[string]string `json:"files,omitempty"`
	// Requests are what the files asked for then. They only serve to show what is new.
	Requests []Request `json:"requests,omitempty"`
	Given    time.Time `json:"given"`
}

// Pinned reports whether the consent is for files as they were.
func (c Consent) Pinned() bool { return c.Files != nil }

// Covers reports whether a consent for a directory holds for all of these sources.
func (c Consent) Covers(sources []string) bool {
	return !c.Pinned() && len(c.Missing(sources)) == 0
}

// Missing are the sources that came into being after the consent was given.
func (c Consent) Missing(sources []string) []string {
	return slices.DeleteFunc(slices.Clone(sources), func(s string) bool { return slices.Contains(c.Sources, s) })
}

// New are the requests that were not made when the consent was given.
func (c Consent) New(now []Request) []Request {
	return slices.DeleteFunc(slices.Clone(now), func(r Request) bool {
		return slices.ContainsFunc(c.Requests, func(old Request) bool { return old.key() == r.key() })
	})
}
