package sources

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/signature"
)

// AddRequest describes the source to add.
type AddRequest struct {
	Address string
	// Name is the user's name for the source; empty for the name of the index or the marketplace.
	Name string
	// Key is the fingerprint that the user expects; empty to ask.
	Key string
	// Accept is called with the source before it is added, unless Key is set. An error adds nothing.
	Accept func(Offer) error
}

// Offer is a source that the user is asked about.
type Offer struct {
	Source

	// Public is the key as a list of allowed signers names it; empty for a marketplace.
	Public string
}

// Add adds a source, and pins the key that signs it.
func Add(ctx context.Context, r AddRequest, o Options) (Source, error) {
	s, err := add(ctx, r, o)
	if err != nil {
		return Source{}, fmt.Errorf("adding a source: %w", err)
	}
	return s, nil
}

func add(ctx context.Context, r AddRequest, o Options) (Source, error) {
	a, err := install.ParseAddress(r.Address, o.Install.Workdir)
	if err != nil {
		return Source{}, err
	}
	if r.Name != "" {
		if err := index.CheckName(r.Name); err != nil {
			return Source{}, err
		}
	}
	f, err := fetch(ctx, a, o)
	if err != nil {
		return Source{}, err
	}
	offer := Offer{Source: Source{Name: r.Name, URL: a.URL, Kind: f.kind, Commit: f.commit, AddedAt: o.now()}}
	if f.kind == KindMarketplace && r.Key != "" {
		return Source{}, fmt.Errorf("%s is a marketplace, which nobody signs; leave out --key to add it all the same", a.URL)
	}
	if f.kind == KindIndex {
		by, err := signature.VerifyFile(f.text, f.signature, index.Namespace)
		if err != nil {
			return Source{}, fmt.Errorf("verifying %s: %w", a.URL, err)
		}
		offer.Key, offer.Public = by.Key, by.Public
		if r.Key != "" && r.Key != by.Key {
			return Source{}, fmt.Errorf("%s is signed with the key %s, and you expect %s; nothing was added: ask who maintains it for the fingerprint", a.URL, by.Key, r.Key)
		}
	}
	s, err := o.read(offer.Source, f)
	if err != nil {
		return Source{}, err
	}
	if s.Name == "" {
		s.Name = s.Index
	}
	if err := index.CheckName(s.Name); err != nil {
		return Source{}, fmt.Errorf("%w; choose a name with --name", err)
	}
	offer.Source = s
	if err := o.allow(s); err != nil {
		return Source{}, err
	}
	if err := o.free(s); err != nil {
		return Source{}, err
	}
	if r.Key == "" && r.Accept != nil {
		if err := r.Accept(offer); err != nil {
			return Source{}, err
		}
	}
	return s, o.change(func(l *list) error {
		if err := l.free(s); err != nil {
			return err
		}
		l.Sources = append(l.Sources, s)
		return o.store(s.Name, f)
	})
}

// free returns an error if a source cannot be added.
func (o Options) free(s Source) error {
	l, err := o.file().Read()
	if err != nil {
		return err
	}
	return l.free(s)
}

func (l *list) free(s Source) error {
	if len(l.Sources) >= MaxSources {
		return errFull
	}
	for _, other := range l.Sources {
		switch {
		case other.Name == s.Name:
			return fmt.Errorf("there is a source named %q already, from %s; choose another name with --name, or remove that one with `aura sources remove %s`", s.Name, other.URL, s.Name)
		case other.URL == s.URL:
			return fmt.Errorf("%s is there already as %q; `aura sources update %s` fetches it again", s.URL, other.Name, other.Name)
		}
	}
	return nil
}

// read verifies and reads what was fetched, and returns the source with what it says.
func (o Options) read(s Source, f fetched) (Source, error) {
	if f.kind != s.Kind {
		return s, fmt.Errorf("%s was %s, and now it is %s; remove it and add it again if you accept that", s.URL, s.Kind.article(), f.kind.article())
	}
	s.FetchedAt, s.Commit = o.now(), f.commit
	if f.kind == KindMarketplace {
		m, err := parseMarketplace(f.text)
		if err != nil {
			return s, err
		}
		s.Index, s.Plugins = m.name, len(m.entries)
		return s, nil
	}
	x, err := index.Open(f.text, f.signature, s.pin(), o.now())
	if err != nil {
		return s, fmt.Errorf("the index of %s: %w", s.URL, advise(err, s))
	}
	s.Index, s.Serial, s.Hash, s.Expires, s.Plugins = x.Name, x.Serial, index.Hash(f.text), x.Expires, len(x.Plugins)
	return s, nil
}

func (k Kind) article() string {
	if k == KindIndex {
		return "a signed index"
	}
	return "a marketplace without a signature"
}

// advise adds to an error what the user can do.
func advise(err error, s Source) error {
	name := s.Name
	if name == "" {
		name = s.URL
	}
	next := ""
	switch {
	case errors.Is(err, index.ErrOtherKey):
		next = "ask who maintains it whether the key was changed; `aura sources update " + name + " --key FINGERPRINT` accepts another key"
	case errors.Is(err, index.ErrExpired):
		next = "nothing is installed from it until who maintains it publishes a new version, which `aura sources update` fetches"
	case errors.Is(err, index.ErrRollback), errors.Is(err, index.ErrReused):
		next = "the server gives you an old or a forged version: ask who maintains it; the copy that you have stays in use until it expires"
	case errors.Is(err, index.ErrOther):
		next = "remove the source and add it again if you accept the other index"
	case errors.Is(err, signature.ErrTampered):
		next = "if a new version is being published right now, repeat the command in a minute; otherwise somebody changed it"
	default:
		return err
	}
	return fmt.Errorf("%w: %s", err, next)
}

// Updated is the result of an update of a source.
type Updated struct {
	Source

	// From is the serial before.
	From int64 `json:"from_serial,omitempty"`
	// Changed reports whether there is a new version.
	Changed bool `json:"changed"`
}

// Update fetches a source again. The copy stays as it was if the new version is refused. A key that is not empty takes the place of the pinned one.
func Update(ctx context.Context, name, key string, o Options) (Updated, error) {
	u, err := update(ctx, name, key, o)
	if err != nil {
		return Updated{}, fmt.Errorf("updating the source %s: %w", name, err)
	}
	return u, nil
}

func update(ctx context.Context, name, key string, o Options) (Updated, error) {
	s, err := Find(name, o)
	if err != nil {
		return Updated{}, err
	}
	if key != "" && !s.Signed() {
		return Updated{}, errors.New("it is a marketplace, which nobody signs")
	}
	if s, err = o.rekeyed(s, key); err != nil {
		return Updated{}, err
	}
	a, err := install.ParseAddress(s.URL, o.Install.Workdir)
	if err != nil {
		return Updated{}, err
	}
	f, err := fetch(ctx, a, o)
	if err != nil {
		return Updated{}, fmt.Errorf("%w; the copy that you have stays in use until it expires", err)
	}
	var done Updated
	return done, o.change(func(l *list) error {
		i := l.find(name)
		if i < 0 {
			return errors.New("it was removed meanwhile")
		}
		// Another aura may have fetched a newer version meanwhile.
		before, err := o.rekeyed(l.Sources[i], key)
		if err != nil {
			return err
		}
		after, err := o.read(before, f)
		if err != nil {
			return err
		}
		done = Updated{Source: after, From: before.Serial, Changed: after.Serial != before.Serial || after.Commit != before.Commit}
		l.Sources[i] = after
		return o.store(name, f)
	})
}

// rekeyed returns the source with another key, if the user names one, and asks the rules about it.
func (o Options) rekeyed(s Source, key string) (Source, error) {
	if key != "" {
		s.Key = key
	}
	return s, o.allow(s)
}

// Remove removes a source and its copy.
func Remove(name string, o Options) (Source, error) {
	var removed Source
	err := o.change(func(l *list) error {
		i := l.find(name)
		if i < 0 {
			return fmt.Errorf("there is no source %q; there are: %s", name, l.names())
		}
		removed = l.Sources[i]
		l.Sources = append(l.Sources[:i:i], l.Sources[i+1:]...)
		return o.forget(name)
	})
	if err != nil {
		return Source{}, fmt.Errorf("removing a source: %w", err)
	}
	return removed, nil
}
