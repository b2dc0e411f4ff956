package sources

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
)

// open returns the plugins that a source lists, from its copy, which is verified again.
func (o Options) open(s Source) ([]index.Entry, Source, error) {
	if err := o.allow(s); err != nil {
		return nil, s, fmt.Errorf("the source %s: %w", s.Name, err)
	}
	f, err := o.stored(s)
	if err != nil {
		return nil, s, fmt.Errorf("reading the copy of the source %s: %w; run `aura sources update %s`", s.Name, err, s.Name)
	}
	if s.Kind == KindMarketplace {
		m, err := parseMarketplace(f.text)
		return m.entries, s, err
	}
	x, err := index.Open(f.text, f.signature, s.pin(), o.now())
	if errors.Is(err, index.ErrExpired) {
		return nil, s, fmt.Errorf("the source %s: %w; run `aura sources update %s`", s.Name, err, s.Name)
	}
	if err != nil {
		return nil, s, fmt.Errorf("the copy of the source %s: %w; run `aura sources update %s`", s.Name, err, s.Name)
	}
	s.Serial = x.Serial // the copy may be newer than the list if aura was killed between writing the two
	return x.Plugins, s, nil
}

// Hit is a plugin that fits a search.
type Hit struct {
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Signed      bool     `json:"signed"`
	Description string   `json:"description"`
	Keywords    []string `json:"keywords"`
	// URL, Ref and Commit are empty for a plugin of a marketplace, which names them when the plugin is added.
	URL    string `json:"url,omitempty"`
	Ref    string `json:"ref,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Requests is what its plugins ask for, one phrase for each.
	Requests []string `json:"requests"`

	rank int
}

// Search looks for words in the copies of all sources, and returns the best match first. It uses no network. The errors are those of sources that cannot be
// used.
func Search(words []string, o Options) ([]Hit, []error, error) {
	all, err := List(o)
	if err != nil {
		return nil, nil, err
	}
	hits, failed := []Hit{}, []error{}
	for _, s := range all {
		entries, _, err := o.open(s)
		if err != nil {
			failed = append(failed, err)
		}
		for _, e := range entries {
			if rank := e.Rank(words); rank > 0 {
				hits = append(hits, hitOf(e, s, rank))
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		signed := func(h Hit) int {
			if h.Signed {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.rank, a.rank), strings.Compare(a.Name, b.Name), cmp.Compare(signed(a), signed(b)), strings.Compare(a.Source, b.Source))
	})
	return hits, failed, nil
}

func hitOf(e index.Entry, s Source, rank int) Hit {
	h := Hit{
		Name: e.Name, Source: s.Name, Signed: s.Signed(), Description: e.Description, Keywords: append([]string{}, e.Keywords...),
		URL: e.URL, Ref: e.Ref, Commit: e.Commit, Requests: []string{}, rank: rank,
	}
	for _, asks := range e.Requests {
		h.Requests = append(h.Requests, asks.List()...)
	}
	slices.Sort(h.Requests)
	h.Requests = slices.Compact(h.Requests)
	return h
}

// Resolve returns what to install for a plugin of a source: exactly what a signed index says, or the plugin of a marketplace, whatever that names by then.
func Resolve(name, plugin string, o Options) (install.Request, error) {
	s, err := Find(name, o)
	if err != nil {
		return install.Request{}, err
	}
	entries, s, err := o.open(s)
	if err != nil {
		return install.Request{}, err
	}
	i := slices.IndexFunc(entries, func(e index.Entry) bool { return e.Name == plugin })
	if i < 0 {
		return install.Request{}, fmt.Errorf("the source %s has no plugin %q%s", name, plugin, hint(plugin, entries))
	}
	indexed := install.Indexed{Name: s.Name, Plugin: plugin, Serial: s.Serial, Key: s.Key}
	if s.Kind == KindMarketplace {
		return install.Request{Source: s.URL, Plugin: plugin, Index: &indexed}, nil
	}
	e := entries[i]
	from, err := install.ParseAddress(s.URL, o.Install.Workdir)
	var to install.Address
	if err == nil {
		to, err = install.ParseAddress(e.URL, o.Install.Workdir)
	}
	if err == nil && to.Here && !from.Here {
		err = fmt.Errorf("it names %s on this machine", e.URL)
	}
	if err != nil {
		return install.Request{}, fmt.Errorf("the plugin %q of the source %s: %w", plugin, name, err)
	}
	return install.Request{Name: e.Name, Expected: &install.Expected{
		Indexed: indexed, URL: e.URL, Tag: e.Ref, Commit: e.Commit, Subpath: e.Subpath, Hash: e.Hash, SameHost: from.Host == to.Host, Requests: e.Requests,
	}}, nil
}

// hint names the plugin that the user may have meant.
func hint(plugin string, entries []index.Entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if found := nearest.Hint(plugin, names); found != "" {
		return found
	}
	return "; `aura plugins search` lists what it has"
}

// Expected returns what a signed index says now about a plugin.
func Expected(name, plugin string, o Options) (*install.Expected, error) {
	r, err := Resolve(name, plugin, o)
	if err == nil && r.Expected == nil {
		err = fmt.Errorf("the source %s is a marketplace now, which has no signature", name)
	}
	return r.Expected, err
}
