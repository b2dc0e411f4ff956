package setup

import (
	"slices"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
)

// level holds the plugins and extensions of one tier of a home. A plugin shadows those of the same name in earlier levels.
type level struct {
	found  []manifest.Plugin
	owners map[place]config.PluginRoot
}

// place identifies a plugin that was found. Several extensions may be declared in one directory.
type place struct{ dir, name string }

func placeOf(p manifest.Plugin) place { return place{p.Dir, p.Name} }

func (l *level) add(root config.PluginRoot, found []manifest.Plugin) {
	l.found = append(l.found, found...)
	for _, p := range found {
		l.owners[placeOf(p)] = root
	}
}

// levelsOf finds the plugins and extensions, lowest precedence first: those that packages of Python declare, those that were installed
// for the user, those of the user, and those of the project.
func levelsOf(c *config.Config) ([]level, error) {
	added := level{owners: map[place]config.PluginRoot{}}
	var homes []level
	dir := ""
	for _, root := range c.Roots() {
		found, err := Discover(root)
		if err != nil {
			return nil, err
		}
		if root.Home.Dir != dir {
			dir = root.Home.Dir
			homes = append(homes, level{owners: map[place]config.PluginRoot{}})
		}
		// Installed plugins must still be as they were when they were installed.
		install.Verify(PlaceOf(root), found, c.Signing)
		if root.Home.Kind == config.HomeUser {
			added.add(root, slices.DeleteFunc(slices.Clone(found), func(p manifest.Plugin) bool { return !p.Added() }))
			found = slices.DeleteFunc(found, manifest.Plugin.Added)
		}
		homes[len(homes)-1].add(root, found)
	}
	levels := slices.Concat([]level{installedLevel(c), added}, homes)
	for _, l := range levels {
		if c.LeavesOut {
			manifest.RefuseDuplicates(l.found)
			continue
		}
		if err := manifest.StartupErrors(l.found); err != nil {
			return nil, err
		}
	}
	return levels, nil
}

// installedLevel returns the extensions that packages of Python declare. Without Python there are none.
func installedLevel(c *config.Config) level {
	l := level{owners: map[place]config.PluginRoot{}}
	if !pythonEnvironment(c).MayDeclare() {
		return l
	}
	i, err := Python(c)
	if err != nil {
		return l
	}
	for _, p := range python.Installed(i) {
		l.add(config.PluginRoot{Home: config.Home{Dir: p.Root, Kind: config.HomeInstalled}, Dir: p.Root, Python: true}, []manifest.Plugin{p})
	}
	return l
}

// Discover returns the plugins or the extensions of a directory. Several may have the same name.
func Discover(root config.PluginRoot) ([]manifest.Plugin, error) {
	if root.Python {
		return python.Search(root.Dir)
	}
	return python.SearchPlugins(root.Dir)
}
