package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
)

// Listing is the configuration for a command that only shows things.
type Listing struct {
	// Config is the active configuration. It excludes the project if the project is not trusted.
	*config.Config
	// Text is the whole configuration. The part that belongs to an untrusted project has not taken effect and must not.
	Text *config.Config
	// Untrusted is nil if the whole configuration is active.
	Untrusted *UntrustedError
}

// List reads the configuration for a command that only shows things. It never asks. It gives a notice if the project is not
// trusted, and one for each file that is left out because of a fault.
func (g *Gate) List(o config.Options) (Listing, error) {
	o.LeaveOut = true
	v, err := g.decide(o)
	if err != nil {
		return Listing{}, err
	}
	o.Safe = o.Safe || v.safe || v.untrusted != nil
	c, err := config.Load(o)
	if err != nil {
		return Listing{}, err
	}
	c.Untrusted, c.Agreed, c.Covered = v.untrusted != nil, v.agreed, g.covered(o)
	g.Report(c.Notices...)
	g.reportFaults(c)
	g.tellHiding(o, v)
	l := Listing{Config: c, Text: c, Untrusted: v.untrusted}
	if v.untrusted != nil {
		g.Report(v.untrusted.Notice())
		if v.text != nil {
			l.Text = v.text
		}
	}
	return l, nil
}

// Foreign reports whether a source belongs to an untrusted project.
func (l Listing) Foreign(s config.Source) bool {
	return l.Untrusted != nil && l.Untrusted.found.Owns(s.Home)
}

// InstallPlaces returns where plugins can be installed, the place of highest precedence first.
func InstallPlaces(c *config.Config, kinds ...config.HomeKind) []install.Place {
	var out []install.Place
	for _, root := range slices.Backward(append(c.PortableRoots(), c.PluginRoots()...)) {
		if len(kinds) == 0 || slices.Contains(kinds, root.Home.Kind) {
			out = append(out, setup.PlaceOf(root))
		}
	}
	return out
}

// InstallPlaces returns where plugins can be installed, the place of highest precedence first. It includes places of an
// untrusted project only if they are located in the project: a directory elsewhere that the project's files name may belong to
// someone else.
func (l Listing) InstallPlaces(kinds ...config.HomeKind) []install.Place {
	places := InstallPlaces(l.Text, kinds...)
	if l.Untrusted == nil {
		return places
	}
	return slices.DeleteFunc(places, func(p install.Place) bool {
		return l.Foreign(config.Source{Home: config.Home{Dir: p.Home}}) && !files.Within(l.Untrusted.Base, p.Root)
	})
}

// Entries returns the plugins of a listing. Plugins of an untrusted project come last.
func (l Listing) Entries() ([]setup.Entry, error) {
	out, err := setup.Catalog(l.Config)
	if err != nil || l.Untrusted == nil {
		return out, err
	}
	for _, root := range l.Text.Roots() {
		if !l.Foreign(config.Source{Home: root.Home}) || !files.Within(l.Untrusted.Base, root.Dir) {
			continue
		}
		found, err := setup.Discover(root)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			out = append(out, setup.NewEntry(p, setup.StatusUntrusted, root, setup.StateOf(l.Config, root.Home)))
		}
	}
	return out, nil
}

// Warnings returns the problems in the files of the homes that do not prevent reading them. The notice about where the
// configuration was found is not a warning.
func (l Listing) Warnings() []string {
	return slices.DeleteFunc(slices.Clone(l.Notices), func(text string) bool { return text == "using the configuration in "+l.Project })
}

// Dangling returns the references of agents and tasks to things that do not exist. Using such an agent or task fails.
func (l Listing) Dangling() []string {
	var out []string
	refer := func(from, key, name string, known []string) {
		if name != "" && !slices.Contains(known, name) {
			out = append(out, fmt.Sprintf("%s has %s: %s, which does not exist%s", from, key, name, nearest.Hint(name, known)))
		}
	}
	agents, modes := slices.Sorted(maps.Keys(l.Agents)), slices.Sorted(maps.Keys(l.Modes))
	providers, prompts := slices.Sorted(maps.Keys(l.Providers)), slices.Sorted(maps.Keys(l.Prompts))
	for _, name := range agents {
		a, from := l.Agents[name], fmt.Sprintf("agent %q", name)
		refer(from, "model.provider", a.Model.Provider, providers)
		refer(from, "mode", a.Mode, modes)
		refer(from, "system", a.System, prompts)
		for _, other := range a.Fallback {
			refer(from, "fallback", other, agents)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Tasks)) {
		t, from := l.Tasks[name], fmt.Sprintf("task %q", name)
		refer(from, "agent", t.Agent, agents)
		refer(from, "mode", t.Mode, modes)
	}
	return out
}
