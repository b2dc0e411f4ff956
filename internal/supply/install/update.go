package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
)

// Updated describes the result of an update of a plugin or pack.
type Updated struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	URL  string `json:"url"`
	Ref  string `json:"ref,omitempty"`
	// From and To are commits. They are equal if there was no new commit.
	From string `json:"from"`
	To   string `json:"to"`
	// DryRun reports that nothing was changed.
	DryRun bool `json:"dry_run,omitempty"`
	// Restored reports that there was no new commit, but that the unit was reinstalled: its files had been changed, the SDK in its
	// vendor directory did not fit this aura, or its imports had not been vendored.
	Restored bool `json:"restored,omitempty"`
	// Signed is the signature of the new version; nil if none was verified.
	Signed *Signed `json:"signed,omitempty"`
	// Index is the index that named the new version; nil if there was none.
	Index *Indexed `json:"index,omitempty"`
	// Rewritten reports that the old commit is not part of the new commit's history.
	Rewritten bool `json:"rewritten,omitempty"`
	// Commits lists the commits since the old one, the newest first, up to shownCommits. More counts the rest.
	Commits []Commit `json:"commits"`
	More    int      `json:"more_commits,omitempty"`
	// Files are the changes of the unit's own files, Vendored those of its vendor directories.
	Files    Difference `json:"files"`
	Vendored Difference `json:"vendored"`
	// Plugins lists all plugins that the unit holds now. New lists the plugins, variables, hooks, tools and unsafe imports
	// that it did not have before.
	Plugins []Facts  `json:"plugins"`
	New     []Facts  `json:"new"`
	Gone    []string `json:"gone,omitempty"`
	// Kept is the directory with a copy of files that were changed by hand; empty if there were none.
	Kept     string    `json:"kept,omitempty"`
	Warnings []Warning `json:"warnings"`

	// sameRef reports whether the update follows the branch or tag of the installed version.
	sameRef bool
	// expected is what the index says about the new version; nil if there is none.
	expected *Expected
}

// Unchanged reports whether the update found nothing to do.
func (d Updated) Unchanged() bool { return d.From == d.To && !d.Restored }

// Commit is one commit of a source.
type Commit struct {
	Hash    string `json:"hash"`
	Subject string `json:"subject"`
}

// Updatable returns the plugins and packs of a place that came from git.
func Updatable(p Place) ([]string, error) {
	list, err := units(p)
	if err != nil {
		return nil, fmt.Errorf("looking for plugins to update: %w", err)
	}
	var names []string
	for _, u := range list {
		if u.origin != nil {
			names = append(names, u.dir)
		}
	}
	return names, nil
}

// Update installs the newest version of a plugin or of the pack that it belongs to. If Update fails, the old version stays
// unchanged.
func Update(ctx context.Context, places []Place, name string, o Options) (Updated, error) {
	u, err := find(places, name)
	if err == nil {
		err = updatable(u)
	}
	var done Updated
	if err == nil {
		done, err = update(ctx, u.place, name, o)
	}
	if err != nil {
		return Updated{}, fmt.Errorf("updating %s: %w", name, err)
	}
	return done, nil
}

// updatable returns an error if the unit did not come from git.
func updatable(u unit) error {
	if u.origin == nil {
		return errors.New("it was not installed from git, so it cannot be updated")
	}
	return nil
}

func update(ctx context.Context, p Place, name string, o Options) (done Updated, err error) {
	s, err := newStage(ctx, p, o)
	if err != nil {
		return Updated{}, err
	}
	defer func() { err = errors.Join(s.readable(err), s.close()) }()
	u, err := s.find(name)
	if err == nil {
		err = updatable(u)
	}
	if err != nil {
		return Updated{}, err
	}
	expected, record, err := u.expected(o)
	if err != nil {
		return Updated{}, err
	}
	at, err := s.again(ctx, u.origin, expected, u.place.Home, expected.environment(o))
	if err == nil {
		err = expected.checkCommit(at.clone)
	}
	if err != nil {
		return Updated{}, err
	}
	ref, c := at.ref, at.clone
	done = Updated{
		Name: u.name(), Dir: u.path(), URL: u.origin.URL, Ref: ref, From: u.origin.Commit, To: c.commit.Hash.String(), DryRun: o.DryRun,
		Commits: []Commit{}, Files: compare(nil, nil), Vendored: compare(nil, nil), New: []Facts{}, Warnings: []Warning{}, sameRef: ref == u.origin.Ref,
		Index: record, expected: expected,
	}
	for _, p := range u.plugins {
		done.Plugins = append(done.Plugins, factsOf(p))
	}
	before, err := u.signed()
	if err != nil {
		return Updated{}, err
	}
	if done.Signed, err = o.signature(u.place, u.origin.URL, c, before); err != nil {
		return Updated{}, err
	}
	if done.From == done.To && done.sameRef && (before != nil || done.Signed == nil) {
		if done.Restored, err = u.changed(o); err != nil || !done.Restored {
			return done, err
		}
	}
	done.Restored = done.From == done.To
	if err := done.history(c); err != nil {
		return Updated{}, err
	}
	if err := o.moved(o.policy(u.place, u.origin.URL), before, done, c); err != nil {
		return Updated{}, err
	}
	return done, s.exchange(ctx, u, at, o, &done)
}

// signed returns the signature that was verified when the unit was installed; nil if there was none.
func (u unit) signed() (*Signed, error) {
	lock, err := readLock(u.place)
	if err != nil {
		return nil, err
	}
	for _, e := range lock.Plugins {
		if e.Unit == u.dir && e.Signed != nil {
			return e.Signed, nil
		}
	}
	return nil, nil //nolint:nilnil // nil is a version without a signature
}

// changed reports whether any plugin of the unit differs from what would be installed now.
func (u unit) changed(o Options) (bool, error) {
	lock, err := readLock(u.place)
	if err != nil {
		return false, err
	}
	for _, p := range u.plugins {
		err := lock.verify(u.place, p)
		if _, changed := errors.AsType[*ChangedError](err); changed {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if p.Go() && checkSDK(p.Dir) != nil {
			return true, nil //nolint:nilerr // this is what the update is for
		}
		if !o.NoVendor && unvendored(p) {
			return true, nil
		}
	}
	return false, nil
}

// shownCommits is the number of commits that a summary names.
const shownCommits = 20

// history fills in the commits between the old and the new commit. If the old commit is not available, it fills in all
// commits.
func (d *Updated) history(c clone) error {
	from := plumbing.NewHash(d.From)
	known := map[plumbing.Hash]bool{}
	if old, err := object.GetCommit(c.storer, from); err == nil {
		err = object.NewCommitPreorderIter(old, nil, nil).ForEach(func(c *object.Commit) error {
			known[c.Hash] = true
			return nil
		})
		// The repository itself may be a shallow clone; then the available history is used.
		if err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) {
			return fmt.Errorf("reading the history: %w", err)
		}
	}
	reached := d.From == d.To
	// The walk stops at known commits. If a commit has the old one as a parent, the old commit is part of the new commit's
	// history.
	iter := object.NewCommitIterCTime(c.commit, known, nil)
	err := iter.ForEach(func(c *object.Commit) error {
		reached = reached || slices.Contains(c.ParentHashes, from)
		if len(d.Commits) == shownCommits {
			d.More++
			return nil
		}
		subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
		d.Commits = append(d.Commits, Commit{Hash: c.Hash.String(), Subject: subject})
		return nil
	})
	if err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) {
		return fmt.Errorf("reading the history: %w", err)
	}
	d.Rewritten = !reached
	return nil
}

// exchange prepares the new version and replaces the old one with it.
func (s *stage) exchange(ctx context.Context, u unit, at located, o Options, done *Updated) error {
	dir, err := s.path(treeDir, u.name())
	if err != nil {
		return err
	}
	if err := at.export(ctx, dir); err != nil {
		return err
	}
	if err := done.expected.checkFiles(dir); err != nil {
		return err
	}
	origin := *u.origin
	origin.Ref, origin.Commit, origin.InstalledAt = done.Ref, done.To, o.now()
	if done.expected != nil {
		origin.Subpath, origin.Subpaths = done.expected.Subpath, nil
	}
	if at.plugin != nil {
		origin.MarketplaceRef, origin.Subpath, origin.Subpaths = at.marketRef, "", at.subpaths
	}
	if err := manifest.WriteOrigin(dir, origin); err != nil {
		return err
	}
	if err := checkRoots(dir, origin); err != nil {
		return err
	}
	if err := s.convert(ctx, dir, origin.Roots(), at.plugin, o); err != nil {
		return err
	}
	disabled, err := keepDisabled(u, dir)
	if err != nil {
		return err
	}
	if o.NoVendor {
		if err := keepVendored(ctx, u, dir); err != nil {
			return err
		}
	}
	ready, err := s.prepare(ctx, dir, done.URL, o)
	if err != nil {
		return err
	}
	ready.disabled, ready.index = disabled, done.Index
	if err := done.expected.checkRequests(ready.facts); err != nil {
		return err
	}
	if err := checkOthers(u, ready.plugins); err != nil {
		return err
	}
	if err := done.summarise(u, ready); err != nil {
		return err
	}
	staged := Staged{Action: "update", Name: done.Name, URL: done.URL, Ref: done.Ref, Commit: done.To, Previous: done.From, Signed: done.Signed, Index: done.Index}
	if err := o.inspect(ctx, ready, staged); err != nil || o.DryRun {
		return err
	}
	if err := o.grant(done.New); err != nil {
		return err
	}
	lock, err := readLock(u.place)
	if err == nil {
		done.Kept, err = o.confirm(u, lock)
	}
	if err != nil {
		return err
	}
	return s.swap(ctx, u, ready, done)
}

// checkOthers returns an error if a plugin of another unit has one of the names that the unit did not have before.
func checkOthers(u unit, coming []manifest.Plugin) error {
	list, err := units(u.place)
	if err != nil {
		return err
	}
	for _, other := range list {
		if other.dir == u.dir {
			continue
		}
		for _, c := range coming {
			if slices.Contains(other.names(), c.Name) && !slices.Contains(u.names(), c.Name) {
				return fmt.Errorf("it now holds a plugin named %q, but that name is already used in %s", c.Name, other.path())
			}
		}
	}
	return nil
}

// summarise compares the old version with the new one.
func (d *Updated) summarise(u unit, ready prepared) error {
	before, err := hashTree(u.path())
	if err != nil {
		return err
	}
	after, err := hashTree(ready.dir)
	if err != nil {
		return err
	}
	d.Files = compare(split(before, false), split(after, false))
	d.Vendored = compare(split(before, true), split(after, true))
	d.Warnings = append(d.Warnings, ready.warnings...)
	old := map[string]Facts{}
	for _, f := range d.Plugins {
		old[f.Name] = f
	}
	d.Plugins = ready.facts
	for _, f := range ready.facts {
		was, known := old[f.Name]
		delete(old, f.Name)
		if g, more := gained(was, f); more || !known {
			d.New = append(d.New, g)
		}
	}
	d.Gone = slices.Sorted(maps.Keys(old))
	return nil
}

// split returns the vendored files or the other files, without the origin file that aura wrote.
func split(files map[string]string, vendored bool) map[string]string {
	out := map[string]string{}
	for name, hash := range files {
		parts := strings.Split(name, "/")
		if name != manifest.OriginFile && vendored == (slices.Contains(parts, vendorDir) || slices.Contains(parts, python.LibraryDir)) {
			out[name] = hash
		}
	}
	return out
}

// swap replaces the old version. During the replacement the lock records both versions, so either one is accepted.
func (s *stage) swap(ctx context.Context, u unit, ready prepared, done *Updated) error {
	entries, err := ready.lock(u.dir, done.URL, done.To, done.Signed)
	if err != nil {
		return err
	}
	lock, err := readLock(u.place)
	if err != nil {
		return err
	}
	lock.prune(u.place)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	lock.Pending = entries
	if err := lock.write(u.place); err != nil {
		return err
	}
	lock.Pending = nil
	if err := replace(u.place, ready.dir, u.path()); err != nil {
		return errors.Join(fmt.Errorf("replacing the old version: %w", err), lock.write(u.place))
	}
	lock.drop(u.dir)
	maps.Copy(lock.Plugins, entries)
	return lock.write(u.place)
}
