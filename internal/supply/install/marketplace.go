package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
)

const (
	// marketplaceFile is the list of plugins in a repository that is a marketplace of Claude Code.
	marketplaceFile = claudeDir + "/marketplace.json"
	// maxMarketplace is its largest size, in bytes.
	maxMarketplace = 8 << 20
)

// located is where the files of a unit come from.
type located struct {
	source
	clone

	ref      string
	subpaths []string
	// plugin is the entry of a marketplace, and market where that is; nil without one.
	plugin map[string]any
	market *source
	// marketRef is the branch, tag or commit of the marketplace.
	marketRef string
}

// entryName returns the name of the plugin in the marketplace.
func (l located) entryName() string {
	name, _ := l.plugin["name"].(string)
	return name
}

// export writes the files of what was fetched. Of a marketplace it writes only the plugin.
func (l located) export(ctx context.Context, dir string) error {
	if l.plugin == nil {
		return export(ctx, l.storer, l.commit, dir)
	}
	return export(ctx, l.storer, l.commit, dir, l.subpaths...)
}

// locate fetches a source. If it is a marketplace, it fetches the plugin that was chosen.
func (s *stage) locate(ctx context.Context, src source, ref, plugin string, whole bool, o Options) (located, error) {
	at := located{source: src, ref: ref}
	err := o.policy(s.place, src.url).Refused
	if err != nil {
		return at, err
	}
	if src.kind != kindLocal {
		if at.clone, err = fetch(ctx, src, ref, filepath.Join(s.dir, "git"), o); err != nil {
			return at, err
		}
	}
	if plugin == "" && (!whole || at.has(portable.FileName) || at.has(manifest.FileName)) {
		return at, nil
	}
	text, err := at.read(marketplaceFile)
	if errors.Is(err, fs.ErrNotExist) && plugin == "" {
		return at, nil
	}
	if err != nil {
		return at, fmt.Errorf("reading the list of plugins, %s: %w", marketplaceFile, err)
	}
	entry, base, err := chosen(text, plugin)
	if err != nil || entry == nil {
		return at, err
	}
	at.plugin, at.market, at.marketRef = entry, &src, ref
	if err := s.follow(ctx, &at, base, o); err != nil {
		return at, fmt.Errorf("the plugin %q of the marketplace: %w", at.entryName(), err)
	}
	return at, nil
}

// has reports whether a file is at the top of what was located.
func (l located) has(name string) bool { _, err := l.read(name); return err == nil }

// read reads a file of what was located. No link is followed out of it.
func (l located) read(name string) ([]byte, error) {
	if l.kind == kindLocal {
		root, err := files.OpenRoot(l.dir)
		if err != nil {
			return nil, fs.ErrNotExist // copying it says what is wrong
		}
		defer func() { _ = root.Close() }()
		return files.ReadBelow(root, filepath.FromSlash(name), maxMarketplace)
	}
	f, err := l.commit.File(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	if f.Size > maxMarketplace || !f.Mode.IsRegular() {
		return nil, fmt.Errorf("it is not a file of at most %d MB", maxMarketplace>>20)
	}
	text, err := f.Contents()
	return []byte(text), err
}

// chosen returns the entry of a plugin in a marketplace's list, and the directory that plain names of sources are in. Without a name, it is
// the only entry; nil if there is none.
func chosen(text []byte, plugin string) (entry map[string]any, base string, err error) {
	var list struct {
		Metadata struct {
			PluginRoot string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []map[string]any `json:"plugins"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, "", fmt.Errorf("reading the list of plugins, %s: %w", marketplaceFile, err)
	}
	var names []string
	for _, e := range list.Plugins {
		name, _ := e["name"].(string)
		if checkName(name) != nil {
			continue
		}
		if names = append(names, name); name == plugin || plugin == "" && len(list.Plugins) == 1 {
			return e, list.Metadata.PluginRoot, nil
		}
	}
	slices.Sort(names)
	switch {
	case plugin != "":
		return nil, "", fmt.Errorf("the marketplace has no plugin %q; it has: %s", plugin, join(names))
	case len(names) > 0:
		return nil, "", fmt.Errorf("it is a marketplace of several plugins: choose one with --plugin NAME; it has: %s", join(names))
	}
	return nil, "", nil
}

// follow locates the source of an entry: a directory of the marketplace, or another repository.
func (s *stage) follow(ctx context.Context, at *located, base string, o Options) error {
	switch from := at.plugin["source"].(type) {
	case string:
		if !strings.HasPrefix(from, "./") {
			from = path.Join(base, from)
		}
		return at.enter(from)
	case map[string]any:
		return s.elsewhere(ctx, at, from, o)
	default:
		return errors.New(`its key "source" is missing`)
	}
}

// enter goes to a directory of what was located.
func (l *located) enter(sub string) error {
	clean, err := checkSubpath(sub)
	if err != nil || clean == "." {
		return err
	}
	if l.kind != kindLocal {
		l.subpaths = []string{clean}
		return nil
	}
	dir := filepath.Join(l.dir, filepath.FromSlash(clean))
	if err := portable.Contains(l.dir, dir); err != nil {
		return fmt.Errorf("%s: %w", clean, err)
	}
	l.dir, l.url, l.path = dir, dir, path.Join(l.path, clean)
	return nil
}

// elsewhere fetches the repository that an entry names. The marketplace chose it, not the user: it gets no token that is for every host, and
// a marketplace on another machine cannot name a repository on this one.
func (s *stage) elsewhere(ctx context.Context, at *located, from map[string]any, o Options) error {
	key := func(name string) string { text, _ := from[name].(string); return text }
	address := key("url")
	switch kind := key("source"); kind {
	case "github":
		address = key("repo")
	case "url", "git-subdir":
	default:
		return fmt.Errorf("its source is of the kind %q; aura installs from git: github, url and git-subdir", kind)
	}
	if shorthand().MatchString(address) {
		address = "https://github.com/" + address + gitSuffix
	}
	src, err := parseSource(address, s.place.Home)
	if err != nil {
		return err
	}
	if src.kind == kindLocal || src.kind == kindFile && at.kind != kindLocal && at.kind != kindFile {
		return fmt.Errorf("it names %s on this machine", src.url)
	}
	if at.kind != kindLocal {
		if _, err := o.signature(s.place, at.url, at.clone, nil); err != nil {
			return err
		}
	}
	if err := o.policy(s.place, src.url).Refused; err != nil {
		return err
	}
	o = o.withoutToken()
	at.source, at.ref = src, key("ref")
	if sha := key("sha"); sha != "" {
		at.ref = sha
	}
	if at.clone, err = fetch(ctx, src, at.ref, filepath.Join(s.dir, "plugin"), o); err != nil || key("path") == "" {
		return err
	}
	return at.enter(key("path"))
}

// again locates the newest version of what was installed.
func (s *stage) again(ctx context.Context, origin *manifest.Origin, expected *Expected, home string, o Options) (located, error) {
	url, ref := origin.URL, origin.Ref
	if expected != nil {
		ref = expected.ref()
	}
	if origin.Plugin != "" {
		url, ref = origin.Marketplace, origin.MarketplaceRef
	}
	if o.Ref != "" {
		ref = o.Ref
	}
	src, err := parseSource(url, home)
	if err != nil {
		return located{}, err
	}
	at, err := s.locate(ctx, src, ref, origin.Plugin, false, o)
	if err == nil && at.url != origin.URL {
		err = fmt.Errorf("the marketplace now takes it from %s, and it was installed from %s: remove it and add it again", at.url, origin.URL)
	}
	return at, err
}

// withoutToken returns the options without the token that is for the host of any source: the user did not name this one.
func (o Options) withoutToken() Options {
	o.Environ = slices.DeleteFunc(slices.Clone(o.Environ), func(e string) bool { return strings.HasPrefix(e, "GIT_TOKEN=") })
	return o
}
