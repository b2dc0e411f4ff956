// Package sources knows the indexes in which a user looks for plugins: which key signs each, and the last good copy of each. It fetches them,
// and answers what they say about a plugin.
//
// All of it is in aura's state, which confined code can neither read nor write.
package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/statefile"
)

// Kind says what a source is.
type Kind string

// The kinds.
const (
	// KindIndex is a signed index of aura.
	KindIndex Kind = "index"
	// KindMarketplace is a repository with a list of plugins of Claude Code, which has no signature.
	KindMarketplace Kind = "marketplace"
)

// MaxSources is how many sources a user can have.
const MaxSources = 100

// Source is an index or a marketplace that the user added.
type Source struct {
	// Name is the user's name for it.
	Name string `json:"name"`
	URL  string `json:"url"`
	Kind Kind   `json:"kind"`
	// Key is the fingerprint of the only key whose signature counts; empty for a marketplace.
	Key string `json:"key,omitempty"`
	// Index is the name that the index has for itself. Serial, Hash and Expires are those of the newest version that was seen.
	Index   string    `json:"index,omitempty"`
	Serial  int64     `json:"serial,omitempty"`
	Hash    string    `json:"hash,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
	// Plugins is how many plugins the copy has. Commit is that of the repository, if the source is one.
	Plugins   int       `json:"plugins"`
	Commit    string    `json:"commit,omitempty"`
	AddedAt   time.Time `json:"added_at"`
	FetchedAt time.Time `json:"fetched_at"`
}

// Signed reports whether the source has a signature.
func (s Source) Signed() bool { return s.Kind == KindIndex }

func (s Source) pin() index.Pin {
	return index.Pin{Key: s.Key, Name: s.Index, Serial: s.Serial, Hash: s.Hash}
}

// Identity is what a rule about sources can be about.
type Identity struct {
	Name, URL string
	Signed    bool
	// Key is the fingerprint of the key; empty if Signed is false.
	Key string
}

// Options holds what the operations need.
type Options struct {
	// Dir is the directory of aura's state for sources; empty if the user has none.
	Dir string
	// Install is the environment in which sources are fetched.
	Install install.Options
	// Allow is called with each source before it is added, fetched or used. An error refuses it. A nil Allow allows all.
	Allow func(Identity) error
	// Now returns the time; nil means the system clock.
	Now func() time.Time
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now().UTC().Truncate(time.Second)
}

// allow asks the rules about a source.
func (o Options) allow(s Source) error {
	if o.Allow == nil {
		return nil
	}
	return o.Allow(Identity{Name: s.Name, URL: s.URL, Signed: s.Signed(), Key: s.Key})
}

// list is the file of all sources.
type list struct {
	Version int      `json:"version"`
	Sources []Source `json:"sources"`
}

const (
	listVersion = 1
	// maxList is in bytes.
	maxList = 1 << 20
)

func (o Options) file() statefile.File[list] {
	f := statefile.File[list]{
		Max: maxList, Again: "add the sources again then",
		Empty: func() list { return list{Version: listVersion, Sources: []Source{}} },
		Check: func(l *list) error { return l.check() },
	}
	if o.Dir != "" {
		f.Path = filepath.Join(o.Dir, "sources.json")
	}
	return f
}

func (l *list) check() error {
	if err := statefile.CheckVersion(l.Version, listVersion); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range l.Sources {
		if err := index.CheckName(s.Name); err != nil {
			return err
		}
		switch {
		case seen[s.Name]:
			return fmt.Errorf("there are two sources named %q", s.Name)
		case s.Kind != KindIndex && s.Kind != KindMarketplace:
			return fmt.Errorf("the source %q is of the kind %q", s.Name, s.Kind)
		case (s.Key == "") == s.Signed():
			return fmt.Errorf("the source %q has the key %q", s.Name, s.Key)
		}
		seen[s.Name] = true
	}
	return nil
}

func (l *list) find(name string) int {
	return slices.IndexFunc(l.Sources, func(s Source) bool { return s.Name == name })
}

// names returns the names for a message.
func (l *list) names() string {
	var out []string
	for _, s := range l.Sources {
		out = append(out, s.Name)
	}
	if len(out) == 0 {
		return "none; add one with `aura sources add URL`"
	}
	return strings.Join(out, ", ")
}

// List returns all sources, sorted by name.
func List(o Options) ([]Source, error) {
	l, err := o.file().Read()
	if err != nil {
		return nil, fmt.Errorf("reading the sources: %w", err)
	}
	slices.SortFunc(l.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return l.Sources, nil
}

// Find returns the source of a name.
func Find(name string, o Options) (Source, error) {
	l, err := o.file().Read()
	if err != nil {
		return Source{}, fmt.Errorf("reading the sources: %w", err)
	}
	i := l.find(name)
	if i < 0 {
		return Source{}, fmt.Errorf("there is no source %q; there are: %s", name, l.names())
	}
	return l.Sources[i], nil
}

var errFull = fmt.Errorf("there are %d sources, which is the limit: remove one with `aura sources remove`", MaxSources)

// change edits the list while no other aura does. An error of edit changes nothing.
func (o Options) change(edit func(*list) error) error {
	var failed error
	err := o.file().Change(func(l *list) {
		changed := list{Version: l.Version, Sources: slices.Clone(l.Sources)}
		if failed = edit(&changed); failed == nil {
			*l = changed
		}
	})
	return errors.Join(failed, err)
}
