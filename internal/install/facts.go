package install

import (
	"slices"

	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/pluginsource"
)

// Facts are what a user should know about a plugin before it runs, as its files show it. The slices are sorted and never nil.
type Facts struct {
	Name string `json:"name"`
	// Env are the variables it may read, Hooks the functions that aura calls, Tools the names of its tools.
	Env   []string `json:"env"`
	Hooks []string `json:"hooks"`
	Tools []string `json:"tools"`
	// Unsafe are the imports that need unsafe mode, its vendored packages included.
	Unsafe []string `json:"unsafe_imports"`
	// Asks is what it asks for beyond the defaults.
	Asks manifest.Asks `json:"asks"`
}

// factsOf reads a plugin's files. A file that does not parse shows little.
func factsOf(p manifest.Plugin) Facts {
	asks := manifest.Ask(p)
	f := Facts{Name: p.Name, Env: append([]string{}, p.Manifest.Env...), Hooks: []string{}, Tools: []string{}, Unsafe: asks.Unsafe, Asks: asks}
	// A package that cannot be read is reported by the check.
	if pkg, err := pluginsource.Read(p.Dir); err == nil {
		for _, hook := range pkg.Hooks() {
			f.Hooks = append(f.Hooks, string(hook))
		}
		f.Tools = append(f.Tools, pkg.ToolNames()...)
	}
	for _, list := range []*[]string{&f.Env, &f.Hooks, &f.Tools} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}

// gained are the facts of a plugin that were not so before. It is not ok if there are none.
func gained(before, after Facts) (Facts, bool) {
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	g := Facts{
		Name: after.Name, Env: minus(after.Env, before.Env), Hooks: minus(after.Hooks, before.Hooks),
		Tools: minus(after.Tools, before.Tools), Unsafe: minus(after.Unsafe, before.Unsafe),
		Asks: after.Asks.Beyond(before.Asks),
	}
	return g, len(g.Env)+len(g.Hooks)+len(g.Tools)+len(g.Unsafe) > 0 || !g.Asks.Empty()
}
