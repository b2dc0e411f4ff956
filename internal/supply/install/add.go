package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// Request describes what Add installs.
type Request struct {
	// Source is a URL or a directory.
	Source string
	// Ref is a branch, a tag or a commit; empty for the default branch.
	Ref string
	// Name is the name of the plugin or pack; if it is empty, the name follows from the source.
	Name string
	// Subpaths are the directories within the source that plugins are taken from; if it is empty, the whole source is taken.
	Subpaths []string
	// Plugin is the name of a plugin in the marketplace that the source is; empty for its only one, and for other sources.
	Plugin string

	// Expected is what an index says about the version; nil for a source that the user named. It takes the place of Source, Ref and Subpaths.
	Expected *Expected
	// Index records the index that named the source, if it has no signature that could cover a version; nil otherwise.
	Index *Indexed

	// chosen reports whether the user chose Name.
	chosen bool
}

// Added describes what Add installed.
type Added struct {
	// Name is the name of the unit: the plugin, or the pack that the plugin belongs to.
	Name string `json:"name"`
	Dir  string `json:"dir"`
	URL  string `json:"url"`
	Ref  string `json:"ref,omitempty"`
	// Commit is empty if a directory was copied.
	Commit string `json:"commit,omitempty"`
	// Signed is the signature that was verified; nil if there was none.
	Signed *Signed `json:"signed,omitempty"`
	// Index is the index that named the version; nil if there was none.
	Index    *Indexed  `json:"index,omitempty"`
	Plugins  []Facts   `json:"plugins"`
	Warnings []Warning `json:"warnings"`
}

// Add installs the plugins of a source. If Add fails, it leaves no files behind.
func Add(ctx context.Context, p Place, r Request, o Options) (Added, error) {
	if e := r.Expected; e != nil {
		r.Source, r.Ref, r.Index = e.URL, e.ref(), e.record()
		if e.Subpath != "" {
			r.Subpaths = []string{e.Subpath}
		}
	}
	src, err := parseSource(r.Source, o.Workdir)
	if err == nil && r.Expected != nil && src.kind == kindLocal {
		err = errNeedsGit
	}
	if err == nil {
		err = r.normalise(&src)
	}
	if err != nil {
		return Added{}, fmt.Errorf("adding a plugin: %w", err)
	}
	a, err := add(ctx, p, src, r, o)
	if err != nil {
		return Added{}, fmt.Errorf("adding %s: %w", r.Name, err)
	}
	return a, nil
}

// normalise fills in the fields that the user left empty. A single subpath of a local source becomes the source itself.
func (r *Request) normalise(src *source) error {
	r.chosen = r.Name != ""
	for i, sub := range r.Subpaths {
		clean, err := checkSubpath(sub)
		if err != nil {
			return err
		}
		r.Subpaths[i] = clean
	}
	r.Subpaths = outermost(r.Subpaths)
	if src.kind == kindLocal {
		if r.Ref != "" {
			return fmt.Errorf("--ref %s: a directory is copied as it is; to take a commit of a repository, write file://%s", r.Ref, filepath.ToSlash(src.dir))
		}
		if len(r.Subpaths) == 1 {
			src.dir = filepath.Join(src.dir, filepath.FromSlash(r.Subpaths[0]))
			src.path = path.Join(src.path, r.Subpaths[0])
			r.Subpaths = nil
		}
	}
	if !r.chosen {
		r.Name = src.name()
	}
	if err := checkName(r.Name); err != nil {
		return fmt.Errorf("%w; choose another name with --name", err)
	}
	return nil
}

// outermost removes directories that are located in other directories of the list. It returns nil if the list has ".", the
// whole source.
func outermost(dirs []string) []string {
	if slices.Contains(dirs, ".") {
		return nil
	}
	var out []string
	for i, dir := range dirs {
		held := slices.Contains(dirs[:i], dir) || slices.ContainsFunc(dirs, func(other string) bool { return strings.HasPrefix(dir, other+"/") })
		if !held {
			out = append(out, dir)
		}
	}
	return out
}

func add(ctx context.Context, p Place, src source, r Request, o Options) (added Added, err error) {
	s, err := newStage(ctx, p, o)
	if err != nil {
		return Added{}, err
	}
	defer func() { err = errors.Join(s.readable(err), s.close()) }()
	if r.Plugin == "" {
		if err := p.occupied(r.Name, o); err != nil {
			return Added{}, err
		}
	}
	at, err := s.locate(ctx, src, r.Ref, r.Plugin, len(r.Subpaths) == 0 && r.Expected == nil, r.Expected.environment(o))
	if err == nil {
		err = r.Expected.checkCommit(at.clone)
	}
	if err != nil {
		return Added{}, err
	}
	if at.plugin != nil {
		if r.Subpaths = at.subpaths; !r.chosen {
			r.Name = at.entryName()
		}
		if err := p.occupied(r.Name, o); err != nil {
			return Added{}, err
		}
	}
	src, r.Ref = at.source, at.ref
	dir, commit, signed, err := s.writeSource(ctx, at, r, o)
	if err == nil {
		err = r.Expected.checkFiles(dir)
	}
	if err != nil {
		return Added{}, err
	}
	if err := s.origin(ctx, dir, at, r, commit, o); err != nil {
		return Added{}, err
	}
	ready, err := s.prepare(ctx, dir, src.url, o)
	if err != nil {
		return Added{}, err
	}
	ready.index = r.Index
	if err := r.Expected.checkRequests(ready.facts); err != nil {
		return Added{}, err
	}
	if err := checkNames(p, ready.plugins); err != nil {
		return Added{}, err
	}
	staged := Staged{Action: "add", Name: r.Name, URL: src.url, Ref: r.Ref, Commit: commit, Signed: signed, Index: r.Index}
	if err := o.inspect(ctx, ready, staged); err != nil {
		return Added{}, err
	}
	if err := o.grant(ready.facts); err != nil {
		return Added{}, err
	}
	target := p.target(ready, r.Name)
	if err := s.put(ctx, ready, target, src.url, commit, signed); err != nil {
		return Added{}, err
	}
	return Added{
		Name: r.Name, Dir: target, URL: src.url, Ref: r.Ref, Commit: commit, Signed: signed, Index: r.Index, Plugins: ready.facts,
		Warnings: append([]Warning{}, ready.warnings...),
	}, nil
}

// writeSource writes the files of a source into the stage. The commit is empty if the source has none.
func (s *stage) writeSource(ctx context.Context, at located, r Request, o Options) (dir, commit string, signed *Signed, err error) {
	src, c := at.source, at.clone
	// The directory has its final name already, because the name of a plugin may follow from it.
	if dir, err = s.path(treeDir, r.Name); err != nil {
		return "", "", nil, err
	}
	if src.kind == kindLocal && o.policy(s.place, src.url).Rule == signature.Required {
		return "", "", nil, errors.New("plugins.signed requires a signature, and a directory or a file has none; install from a git repository")
	}
	if src.kind == kindLocal && src.isFile() {
		if err := os.Remove(dir); err != nil {
			return "", "", nil, err
		}
		return dir + pythonFile, "", nil, copyFile(ctx, src.dir, dir+pythonFile)
	}
	if src.kind == kindLocal {
		return dir, "", nil, s.copy(ctx, src, r, dir)
	}
	if signed, err = o.signature(s.place, src.url, c, nil); err != nil {
		return "", "", nil, err
	}
	return dir, c.commit.Hash.String(), signed, at.export(ctx, dir)
}

func (s *stage) copy(ctx context.Context, src source, r Request, dir string) error {
	if len(r.Subpaths) == 0 {
		return copyLocal(ctx, src.dir, dir, s.place.Home)
	}
	for _, sub := range r.Subpaths {
		to := filepath.Join(dir, filepath.FromSlash(sub))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := copyLocal(ctx, filepath.Join(src.dir, filepath.FromSlash(sub)), to, s.place.Home); err != nil {
			return err
		}
	}
	return nil
}

// origin converts plugins of another agent, and records where the unit comes from.
func (s *stage) origin(ctx context.Context, dir string, at located, r Request, commit string, o Options) error {
	src := at.source
	origin := manifest.Origin{URL: src.url, Ref: r.Ref, Commit: commit, InstalledAt: o.now()}
	if r.chosen {
		origin.Name = r.Name
	}
	switch {
	case src.kind == kindLocal && src.isFile():
		return nil // the file has the name
	case src.kind == kindLocal:
		if err := s.convert(ctx, dir, origin.Roots(), at.plugin, o); err != nil {
			return err
		}
		return keepName(dir, origin.Name)
	case len(r.Subpaths) == 1:
		origin.Subpath = r.Subpaths[0]
	default:
		origin.Subpaths = r.Subpaths
	}
	if at.market != nil {
		origin.Marketplace, origin.MarketplaceRef, origin.Plugin = at.market.url, at.marketRef, at.entryName()
	}
	if err := checkRoots(dir, origin); err != nil {
		return err
	}
	if err := s.convert(ctx, dir, origin.Roots(), at.plugin, o); err != nil {
		return err
	}
	return manifest.WriteOrigin(dir, origin)
}

// checkRoots returns an error if a directory that plugins are taken from does not exist.
func checkRoots(dir string, origin manifest.Origin) error {
	for _, sub := range origin.Roots() {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(sub))); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no directory %s in it", sub)
		}
	}
	return nil
}

// keepName records the name that the user chose for a copy, if its plugin would have another name.
func keepName(dir, name string) error {
	if name == "" {
		return nil
	}
	found, err := discoverUnit(filepath.Dir(dir))
	if err != nil || len(found) != 1 || found[0].Name == name {
		return nil //nolint:nilerr // what is wrong is told when the plugins are made ready
	}
	return manifest.WriteOrigin(dir, manifest.Origin{Name: name})
}

// checkNames returns an error if a plugin of the place already has one of the names: aura does not start with two plugins of
// the same name.
func checkNames(p Place, coming []manifest.Plugin) error {
	there, err := p.plugins()
	if err != nil {
		return err
	}
	for _, c := range coming {
		for _, t := range there {
			if t.Name == c.Name {
				other := "choose another name with --name"
				if len(coming) > 1 {
					other = "take others of the pack with --subpath"
				}
				return fmt.Errorf("a plugin named %q is there already, in %s; remove that, or %s", t.Name, t.Dir, other)
			}
		}
	}
	return nil
}

// put records a unit in the lock and moves it to its target. It writes the record first, so that the unit is never installed
// without a record.
func (s *stage) put(ctx context.Context, ready prepared, target, url, commit string, signed *Signed) error {
	unit, err := s.place.key(target)
	if err != nil {
		return err
	}
	entries, err := ready.lock(unit, url, commit, signed)
	if err != nil {
		return err
	}
	lock, err := readLock(s.place)
	if err != nil {
		return err
	}
	lock.prune(s.place)
	lock.drop(unit)
	before := maps.Clone(lock.Plugins)
	maps.Copy(lock.Plugins, entries)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := lock.write(s.place); err != nil {
		return err
	}
	err = s.makeDir(filepath.Dir(target))
	if err == nil {
		err = os.Rename(ready.dir, target)
	}
	if err != nil {
		lock.Plugins = before
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is there already", target)
		}
		return errors.Join(err, lock.write(s.place))
	}
	return nil
}
