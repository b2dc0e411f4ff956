package app

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
)

// InstallPlaces returns where plugins can be installed, the place of highest precedence first.
func InstallPlaces(c *config.Config, kinds ...config.HomeKind) []install.Place {
	var out []install.Place
	for _, root := range slices.Backward(c.PluginRoots()) {
		if len(kinds) == 0 || slices.Contains(kinds, root.Home.Kind) {
			out = append(out, setup.PlaceOf(root))
		}
	}
	return out
}

// BuiltinTools returns the names of aura's own tools, whether a session offers them or not.
func BuiltinTools() []string {
	names := []string{donetool.Name, skill.Name, setup.DelegateName, setup.LoadName}
	for _, t := range slices.Concat(builtin.All(builtin.Options{}), new(todo.List).Tools()) {
		names = append(names, t.Definition().Name)
	}
	slices.Sort(names)
	return names
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
		return l.Foreign(config.Source{Home: config.Home{Dir: p.Home}}) && !within(l.Untrusted.Base, p.Root)
	})
}

// Entries returns the plugins of a listing. Plugins of an untrusted project come last.
func (l Listing) Entries() ([]setup.Entry, error) {
	out, err := setup.Catalog(l.Config)
	if err != nil || l.Untrusted == nil {
		return out, err
	}
	for _, root := range l.Text.Roots() {
		if !l.Foreign(config.Source{Home: root.Home}) || !within(l.Untrusted.Base, root.Dir) {
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
