package app

import (
	"slices"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/done"
	"github.com/idelchi/aura/internal/install"
	"github.com/idelchi/aura/internal/skill"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/internal/tool/builtin"
)

// InstallPlaces are where plugins can be installed, the place of highest precedence first.
func InstallPlaces(c *config.Config, kinds ...config.HomeKind) []install.Place {
	var out []install.Place
	for _, root := range slices.Backward(c.PluginRoots()) {
		if len(kinds) == 0 || slices.Contains(kinds, root.Home.Kind) {
			out = append(out, placeOf(root))
		}
	}
	return out
}

func placeOf(root config.PluginRoot) install.Place {
	return install.Place{Home: root.Home.Dir, Root: root.Dir}
}

// BuiltinTools are the names of aura's own tools, whether a session offers them or not.
func BuiltinTools() []string {
	names := []string{done.Name, skill.Name, taskName, loadName}
	for _, t := range slices.Concat(builtin.All(builtin.Options{}), new(todo.List).Tools()) {
		names = append(names, t.Definition().Name)
	}
	slices.Sort(names)
	return names
}

// InstallPlaces are where plugins can be installed, the place of highest precedence first. Those of a project that is not trusted are
// among them only if they lie in the project: a directory that its files name elsewhere may be anybody's.
func (l Listing) InstallPlaces(kinds ...config.HomeKind) []install.Place {
	places := InstallPlaces(l.Text, kinds...)
	if l.Untrusted == nil {
		return places
	}
	return slices.DeleteFunc(places, func(p install.Place) bool {
		return l.Foreign(config.Source{Home: config.Home{Dir: p.Home}}) && !within(l.Untrusted.Base, p.Root)
	})
}
