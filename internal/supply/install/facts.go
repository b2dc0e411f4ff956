package install

import (
	"slices"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/internal/runtime/python"
)

// Facts holds what a user should know about a plugin before it runs, as read from its files. The slices are sorted and never
// nil.
type Facts struct {
	Name string `json:"name"`
	// Env lists the variables that the plugin may read, Hooks the functions that aura calls or the events that a Python extension handles, and
	// Tools and Commands the names of the plugin's tools and slash commands. Of an extension, names that it computes are missing.
	Env      []string `json:"env"`
	Hooks    []string `json:"hooks"`
	Tools    []string `json:"tools"`
	Commands []string `json:"commands"`
	// Packages lists the Python packages that the extension depends on.
	Packages []string `json:"packages"`
	// Unsafe lists the imports that need unsafe mode, including those of vendored packages.
	Unsafe []string `json:"unsafe_imports"`
	// Components holds what a portable plugin has; nil for other plugins.
	Components *manifest.Components `json:"components,omitempty"`
	// Asks holds what the plugin asks for beyond the defaults.
	Asks manifest.Asks `json:"asks"`
}

// factsOf reads a plugin's files. Facts from a file that does not parse are missing.
func factsOf(p manifest.Plugin) Facts {
	asks := manifest.Ask(p)
	f := Facts{Name: p.Name, Env: append([]string{}, p.Manifest.Env...), Hooks: []string{}, Tools: []string{}, Commands: []string{}, Packages: []string{}, Unsafe: asks.Unsafe, Asks: asks}
	// The check reports a package that cannot be read.
	if pkg, err := pluginsource.Read(p.Dir); err == nil && p.Go() {
		for _, hook := range pkg.Hooks() {
			f.Hooks = append(f.Hooks, string(hook))
		}
		f.Tools = append(f.Tools, pkg.ToolNames()...)
		for _, name := range pkg.CommandNames() {
			f.Commands = append(f.Commands, "/"+name)
		}
	}
	f.Components = manifest.ComponentsOf(p)
	if p.Python() {
		// The check reports a pyproject.toml that cannot be read.
		needs, _ := packagesOf(p)
		f.Packages = append(f.Packages, needs...)
		found := python.Registered(p)
		f.Hooks, f.Tools = append(f.Hooks, found.Events...), append(f.Tools, found.Tools...)
		for _, name := range found.Commands {
			f.Commands = append(f.Commands, "/"+name)
		}
	}
	for _, list := range []*[]string{&f.Env, &f.Hooks, &f.Tools, &f.Commands, &f.Packages} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}

// gained returns the facts that are in after but not in before, and reports whether there are any.
func gained(before, after Facts) (Facts, bool) {
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	g := Facts{
		Name: after.Name, Env: minus(after.Env, before.Env), Hooks: minus(after.Hooks, before.Hooks),
		Tools: minus(after.Tools, before.Tools), Commands: minus(after.Commands, before.Commands), Packages: minus(after.Packages, before.Packages), Unsafe: minus(after.Unsafe, before.Unsafe),
		Asks: after.Asks.Beyond(before.Asks),
	}
	return g, len(g.Env)+len(g.Hooks)+len(g.Tools)+len(g.Commands)+len(g.Packages)+len(g.Unsafe) > 0 || !g.Asks.Empty()
}
