package config

import (
	"maps"
	"path"
	"reflect"
	"slices"
)

// Plugins are the settings of plugins: the key plugins: in features/.
type Plugins struct {
	// Unsafe lets plugins import packages that are withheld from them otherwise, such as os/exec.
	Unsafe bool
	// Include and Exclude are patterns of plugin names, with * for any text; see Selected.
	Include []string
	Exclude []string
	// Global is configuration for all plugins, Local for one of them; see ConfigFor.
	Global map[string]any
	Local  map[string]map[string]any
}

// PluginRoot is the directory in which a home has its plugins.
type PluginRoot struct {
	Home Home
	// Dir is absolute.
	Dir string
}

// Selected reports whether a plugin is to be loaded: it is included, as all are where Include is empty, and not excluded.
func (p Plugins) Selected(name string) bool {
	return (len(p.Include) == 0 || matchesAny(p.Include, name)) && !matchesAny(p.Exclude, name)
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	})
}

// ConfigFor is the configuration of one plugin: its own defaults, then what is set for all, then what is set for it, the
// last one winning key by key. The result is the caller's own.
func (p Plugins) ConfigFor(name string, defaults map[string]any) map[string]any {
	out := map[string]any{}
	for _, layer := range []map[string]any{defaults, p.Global, p.Local[name]} {
		for key, value := range layer {
			out[key] = deepCopy(value)
		}
	}
	return out
}

func deepCopy(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[key] = deepCopy(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = deepCopy(inner)
		}
		return out
	default:
		return value
	}
}

// pluginsFile is the value of the key plugins: in one home. What is nil there is not set.
type pluginsFile struct {
	Dir     *string  `yaml:"dir"`
	Unsafe  *bool    `yaml:"unsafe"`
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	Config  struct {
		Global map[string]any            `yaml:"global"`
		Local  map[string]map[string]any `yaml:"local"`
	} `yaml:"config"`
}

// over puts the settings of a home over those of the homes before it.
func (f pluginsFile) over(p Plugins) Plugins {
	if reflect.ValueOf(f).IsZero() {
		return p // as they were, so that nobody takes them for others
	}
	if f.Unsafe != nil {
		p.Unsafe = *f.Unsafe
	}
	if f.Include != nil {
		p.Include = f.Include
	}
	if f.Exclude != nil {
		p.Exclude = f.Exclude
	}
	p.Global = mergeKeys(p.Global, f.Config.Global)
	local := maps.Clone(p.Local)
	if local == nil {
		local = map[string]map[string]any{}
	}
	for name, config := range f.Config.Local {
		local[name] = mergeKeys(local[name], config)
	}
	p.Local = local
	return p
}

func mergeKeys(below, above map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, below)
	maps.Copy(out, above)
	return out
}

// root is where a home has its plugins.
func (f pluginsFile) root(home Home) PluginRoot {
	dir := "plugins"
	if f.Dir != nil && *f.Dir != "" {
		dir = *f.Dir
	}
	return PluginRoot{Home: home, Dir: absolute(home.Dir, dir)}
}

// check takes the place where the features are set.
func (f pluginsFile) check(d declaration) error {
	for i, pattern := range slices.Concat(f.Include, f.Exclude) {
		key := "include"
		if i >= len(f.Include) {
			key = "exclude"
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return d.wrong([]string{pluginsKey, key}, "%q is not a pattern: %w", pattern, err)
		}
	}
	return nil
}
