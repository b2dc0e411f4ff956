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
