package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/state"
)

// Status says whether a plugin is used, and if not, why.
type Status string

// The statuses of a plugin.
const (
	// StatusEnabled plugins run in every session.
	StatusEnabled Status = "enabled"
	// StatusDisabled plugins are disabled in their plugin.yaml.
	StatusDisabled Status = "disabled"
	// StatusExcluded plugins are excluded by include or exclude in the configuration.
	StatusExcluded Status = "excluded"
	// StatusUntrusted plugins belong to a project that the user has not trusted.
	StatusUntrusted Status = "untrusted"
	// StatusUnavailable plugins need a program that this machine does not have.
	StatusUnavailable Status = "unavailable"
	// StatusShadowed plugins have the same name as a plugin in a home of higher precedence.
	StatusShadowed Status = "shadowed"
)

// Entry is one plugin of the catalogue.
type Entry struct {
	manifest.Plugin
	Home   config.Home
	Status Status
	// Required is set if the policy of the machine requires the plugin.
	Required bool
	// ShadowedBy is the directory of the plugin that is used instead. Shadows are the directories of the plugins that this plugin
	// hides.
	ShadowedBy string
	Shadows    []string

	place install.Place
	// guest is how a Python extension is run; nil for a plugin in Go.
	guest *guest
	// state holds the paths of the project, or those of the user for a plugin in the user's home.
	state state.Paths
	// asks returns what the plugin requests and caches the result. It is nil for a plugin that does not run.
	asks func() manifest.Asks
}

// Tier returns where the plugin comes from: the project, the user's own files, or what was installed for the user, by aura or as a
// package of Python. A plugin shadows those of lower tiers.
func (e Entry) Tier() config.HomeKind {
	if e.Home.Kind == config.HomeUser && e.Added() {
		return config.HomeInstalled
	}
	return e.Home.Kind
}

// rank orders plugins at hook points: those that the policy of the machine requires first, then plugins in Go first, then Python extensions by their tiers.
func (e Entry) rank() int {
	if e.Required {
		return -1
	}
	if !e.Python() {
		return 0
	}
	return 1 + slices.Index([]config.HomeKind{config.HomeInstalled, config.HomeUser, config.HomeProject}, e.Tier())
}

// Asks returns what the plugin requests beyond the defaults.
func (e Entry) Asks() manifest.Asks {
	if e.asks == nil {
		return manifest.Ask(e.Plugin)
	}
	return e.asks()
}

// Catalog returns the plugins of all homes and the Python extensions, sorted by name. If two have the same name, the one in use comes
// first. An error must keep aura from starting: two plugins with the same name in one home.
func Catalog(c *config.Config) ([]Entry, error) {
	levels, err := levelsOf(c)
	if err != nil {
		return nil, err
	}
	var layers [][]manifest.Plugin
	owners := make(map[place]config.PluginRoot)
	for _, l := range levels {
		layers = append(layers, l.found)
		maps.Copy(owners, l.owners)
	}
	active, shadowed := manifest.Merge(layers...)
	g := sync.OnceValue(func() *guest { return newGuest(c) })
	entry := func(p manifest.Plugin, status Status) Entry {
		root := owners[placeOf(p)]
		e := Entry{Plugin: p, Home: root.Home, Status: status, place: PlaceOf(root), state: StateOf(c, root.Home)}
		if p.Python() {
			e.guest = g()
		}
		if err := e.refusal(c); err != nil && e.Err == nil {
			e.Err = &manifest.RefusedError{Err: err}
		}
		if timeout := c.Features.Plugins.Timeouts[p.Name]; timeout > 0 {
			e.Manifest.Timeout = timeout.Duration()
		}
		return e
	}
	var out []Entry
	for _, p := range active {
		e := entry(p, StatusEnabled)
		e.asks = sync.OnceValue(func() manifest.Asks { return manifest.Ask(p) })
		e.choose(c.Features.Plugins)
		e.require(c)
		var hidden []Entry
		for _, s := range shadowed {
			if s.Name == p.Name {
				e.Shadows = append(e.Shadows, s.Dir)
				h := entry(s.Plugin, StatusShadowed)
				h.ShadowedBy = p.Dir
				hidden = append(hidden, h)
			}
		}
		out = append(append(out, e), hidden...)
	}
	followPackages(out)
	return out, nil
}

// followPackages gives the plugins in portable plugins the status of these: what disables or refuses a package also does so for what it
// contains.
func followPackages(entries []Entry) {
	packages := map[string]Entry{}
	for _, e := range entries {
		if e.Portable() {
			packages[e.Dir] = e
		}
	}
	for i, e := range entries {
		p, ok := packages[e.Package]
		if e.Package == "" || !ok || e.Status == StatusShadowed {
			continue
		}
		if p.Status != StatusEnabled {
			entries[i].Status, entries[i].ShadowedBy = p.Status, p.ShadowedBy
		}
		if p.Err != nil && e.Err == nil {
			entries[i].Err = &manifest.RefusedError{Err: fmt.Errorf("the portable plugin %q that contains it is not used: %w", p.Name, p.Err)}
		}
	}
}

// choose sets the status of a plugin that no other shadows.
func (e *Entry) choose(settings config.Plugins) {
	switch {
	case e.Manifest.Disabled:
		e.Status = StatusDisabled
	case !settings.Selected(e.Name):
		e.Status = StatusExcluded
	default:
		e.Status = StatusEnabled
		e.checkAvailable()
	}
}

// noticesOf returns what the user should know about the plugins at every start: which plugins replace others, and which are not
// available.
func noticesOf(entries []Entry) []string {
	tiers := map[string]config.HomeKind{}
	for _, e := range entries {
		tiers[e.Dir] = e.Tier()
	}
	var out []string
	unavailable := map[string][]string{}
	for _, e := range entries {
		for _, dir := range e.Shadows {
			if e.Status != StatusExcluded {
				out = append(out, fmt.Sprintf("the %s plugin %q (%s) replaces the %s one (%s)", e.Tier(), e.Name, e.Dir, tiers[dir], dir))
			}
		}
		if e.Portable() && e.Status == StatusEnabled && e.Err != nil {
			out = append(out, fmt.Sprintf("the portable plugin %q is not used: %v", e.Name, e.Err))
		}
		if e.Status == StatusUnavailable {
			unavailable[e.Err.Error()] = append(unavailable[e.Err.Error()], e.Name)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(unavailable)) {
		out = append(out, fmt.Sprintf("Python extensions are not available (%s): %s", strings.Join(unavailable[reason], ", "), reason))
	}
	return out
}

// RootNotices returns what the user should know about the directories of plugins and extensions: those that are missing, and what looks like
// a plugin or an extension but is not loaded.
func RootNotices(c *config.Config) []string {
	var out []string
	for _, root := range c.PluginRoots() {
		if _, err := os.Stat(root.Dir); root.Named && errors.Is(err, fs.ErrNotExist) {
			out = append(out, fmt.Sprintf("plugins.dir of %s names %s, which does not exist, so no plugins are loaded from there", root.Home.Dir, root.Dir))
		}
		for _, text := range manifest.Overlooked(root.Dir) {
			out = append(out, "the plugin directory "+text)
		}
		out = append(out, python.Misplaced(root.Dir)...)
	}
	for _, root := range c.Roots() {
		if root.Python {
			out = append(out, python.Overlooked(root.Dir)...)
		}
	}
	return out
}

// StateOf returns where the logs and data of a home's plugins are stored.
func StateOf(c *config.Config, home config.Home) state.Paths {
	if home.Dir == c.User || home.Kind != config.HomeProject {
		return c.State.User()
	}
	return c.State
}

// In returns the entry with other places for its logs and its data.
func (e Entry) In(s state.Paths) Entry {
	e.state = s
	return e
}

// LogFile returns the file of the plugin's output; empty if there is no directory for logs.
func (e Entry) LogFile() string {
	if e.state.Logs() == "" {
		return ""
	}
	return filepath.Join(e.state.Logs(), "plugins", e.Name+".log")
}

// DataDir returns the directory in which the plugin may store data; empty if there is no directory for data.
func (e Entry) DataDir() string {
	if e.state.Data() == "" {
		return ""
	}
	return filepath.Join(e.state.Data(), e.Name)
}

// verify checks that the plugin's files are still those that were installed, and those of its project those that the user agreed to.
func (e Entry) verify(c *config.Config) error {
	if e.Home.Kind == config.HomeProject && c.Unchanged != nil {
		if err := c.Unchanged(); err != nil {
			return err
		}
	}
	now := []manifest.Plugin{e.Plugin}
	now[0].Err = nil
	install.Verify(e.place, now, c.Signing)
	return now[0].Err
}

// Spec returns the specification with which the host runs the plugin.
func (e Entry) Spec(c *config.Config, unsafe bool) host.Spec {
	return e.specIn(c, NewConfinement(c, c.Features, ""), unsafe)
}

// specIn is Spec for one of several plugins, which have the confinement in common.
func (e Entry) specIn(c *config.Config, confined Confinement, unsafe bool) host.Spec {
	spec := host.Spec{
		Plugin:  e.Plugin,
		Config:  c.Features.Plugins.ConfigFor(e.Name, e.Manifest.Config),
		Unsafe:  (unsafe || c.Features.Plugins.Unsafe) && c.Machine.Unsafe() == nil,
		Rank:    e.rank(),
		LogFile: e.LogFile(), DataDir: e.DataDir(),
		Sandbox: confined.Plugin(e),
		// The user granted only what the source shows.
		Unconfined: e.Asks().Unconfined && c.Machine.SandboxRequired("") == nil,
		Verify:     func() error { return e.verify(c) },
	}
	if e.Home.Kind == config.HomeProject {
		spec.Consented = c.Consented
	}
	if e.guest != nil {
		spec.Unsafe = false // it concerns only packages of Go
		e.guest.run(&spec)
		return spec
	}
	e.compile(c, &spec)
	return spec
}

// NewEntry returns an entry for a plugin that was found but is not used.
func NewEntry(p manifest.Plugin, status Status, root config.PluginRoot, s state.Paths) Entry {
	return Entry{Plugin: p, Home: root.Home, Status: status, place: PlaceOf(root), state: s}
}

// PlaceOf returns where the plugins of a root are installed.
func PlaceOf(root config.PluginRoot) install.Place {
	return install.Place{Home: root.Home.Dir, Root: root.Dir}
}
