package setup

import (
	"path/filepath"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/install"
	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/state"
)

// Status says whether a plugin is used.
type Status string

// The statuses of a plugin.
const (
	// StatusEnabled plugins run in every session.
	StatusEnabled Status = "enabled"
	// StatusDisabled plugins say so in their plugin.yaml.
	StatusDisabled Status = "disabled"
	// StatusExcluded plugins are left out by include or exclude in the configuration.
	StatusExcluded Status = "excluded"
	// StatusUntrusted plugins belong to a project that the user has not agreed to.
	StatusUntrusted Status = "untrusted"
	// StatusShadowed plugins have a namesake in a home of higher precedence.
	StatusShadowed Status = "shadowed"
)

// Entry is one plugin of the catalogue.
type Entry struct {
	manifest.Plugin
	Home   config.Home
	Status Status
	// ShadowedBy is the directory of the plugin that is used instead; Shadows are the directories that this one hides.
	ShadowedBy string
	Shadows    []string

	place install.Place
	// state is the project's, or the user's for a plugin of the user's home.
	state state.Paths
	// asks finds what the plugin asks for, once; nil for one that does not run.
	asks func() manifest.Asks
}

// Asks are what the plugin asks for beyond the defaults.
func (e Entry) Asks() manifest.Asks {
	if e.asks == nil {
		return manifest.Ask(e.Plugin)
	}
	return e.asks()
}

// Catalog finds the plugins of all homes, in the order of their names; of two with one name the one in use comes first. Its
// error is one that must keep aura from starting: two plugins of one name in one home, or a condition that does not parse.
func Catalog(c *config.Config) ([]Entry, error) {
	var layers [][]manifest.Plugin
	homes, places := make(map[string]config.Home), make(map[string]install.Place)
	for _, root := range c.PluginRoots() {
		found, err := manifest.Discover(root.Dir)
		if err != nil {
			return nil, err
		}
		// What was installed must still be what it was then.
		install.Verify(PlaceOf(root), found)
		for _, p := range found {
			homes[p.Dir], places[p.Dir] = root.Home, PlaceOf(root)
		}
		layers = append(layers, found)
	}
	active, shadowed := manifest.Merge(layers...)
	var out []Entry
	for _, p := range active {
		e := Entry{Plugin: p, Home: homes[p.Dir], Status: StatusEnabled, place: places[p.Dir], state: StateOf(c, homes[p.Dir])}
		e.asks = sync.OnceValue(func() manifest.Asks { return manifest.Ask(p) })
		switch {
		case p.Manifest.Disabled:
			e.Status = StatusDisabled
		case !c.Features.Plugins.Selected(p.Name):
			e.Status = StatusExcluded
		}
		var hidden []Entry
		for _, s := range shadowed {
			if s.Name == p.Name {
				e.Shadows = append(e.Shadows, s.Dir)
				hidden = append(hidden, Entry{Plugin: s.Plugin, Home: homes[s.Dir], Status: StatusShadowed, ShadowedBy: p.Dir, state: StateOf(c, homes[s.Dir])})
			}
		}
		out = append(append(out, e), hidden...)
	}
	return out, nil
}

// StateOf is where logs and data of a home's plugins are kept.
func StateOf(c *config.Config, home config.Home) state.Paths {
	if home.Dir == c.User {
		return c.State.User()
	}
	return c.State
}

// LogFile is where the plugin's output is kept; empty if there is no place for it.
func (e Entry) LogFile() string {
	if e.state.Logs() == "" {
		return ""
	}
	return filepath.Join(e.state.Logs(), "plugins", e.Name+".log")
}

// DataDir is where the plugin may keep what it likes; empty if there is no place for that.
func (e Entry) DataDir() string {
	if e.state.Data() == "" {
		return ""
	}
	return filepath.Join(e.state.Data(), e.Name)
}

// verify says whether the plugin's files are still those that were installed.
func (e Entry) verify() error {
	now := []manifest.Plugin{e.Plugin}
	now[0].Err = nil
	install.Verify(e.place, now)
	return now[0].Err
}

// Spec is the plugin as the host runs it.
func (e Entry) Spec(c *config.Config, unsafe bool) host.Spec {
	return host.Spec{
		Plugin:  e.Plugin,
		Config:  c.Features.Plugins.ConfigFor(e.Name, e.Manifest.Config),
		Unsafe:  unsafe || c.Features.Plugins.Unsafe,
		LogFile: e.LogFile(), DataDir: e.DataDir(),
		Sandbox: NewConfinement(c, c.Features, "").Plugin(e),
		// What is not to be seen in the source was not granted.
		Unconfined: e.Asks().Unconfined,
		Verify:     e.verify,
	}
}

// NewEntry is a plugin that was found and is not used.
func NewEntry(p manifest.Plugin, status Status, root config.PluginRoot, s state.Paths) Entry {
	return Entry{Plugin: p, Home: root.Home, Status: status, place: PlaceOf(root), state: s}
}

// PlaceOf is where plugins of a root are installed.
func PlaceOf(root config.PluginRoot) install.Place {
	return install.Place{Home: root.Home.Dir, Root: root.Dir}
}
