package config

import (
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Plugins holds the settings of plugins: the key plugins: in features/.
type Plugins struct {
	// Unsafe allows plugins to import packages that are otherwise withheld, such as os/exec.
	Unsafe bool
	// Native allows plugins to be compiled and run as programs.
	Native bool
	// Include and Exclude are patterns of plugin names, in which * matches any text; see Selected.
	Include []string
	Exclude []string
	// Global is the configuration for all plugins. Local holds the configuration of single plugins by patterns of their names; see
	// ConfigFor.
	Global map[string]any
	Local  map[string]map[string]any
	// Commands is who gets the plain name of a slash command that several have: a plugin by its name, or command.OwnerAura or
	// command.OwnerCustom.
	Commands map[string]string
	// Timeouts are the deadlines of plugins by name, instead of those in their manifests.
	Timeouts map[string]Timeout
	// Verify is the command line that decides about plugins before they are installed; empty for none. Only the user's home sets it.
	Verify string
}

// PluginRoot is the directory that contains the plugins or the Python extensions of a home.
type PluginRoot struct {
	Home Home
	// Dir is absolute. Named is true if the settings name it, so that it should exist.
	Dir   string
	Named bool
	// Python is true for a directory of Python extensions.
	Python bool
}

// Selected reports whether a plugin is to be loaded. The plugin must be included and not excluded. If Include is empty, all
// plugins are included.
func (p Plugins) Selected(name string) bool {
	return (len(p.Include) == 0 || matchesAny(p.Include, name)) && !matchesAny(p.Exclude, name)
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	})
}

// LocalFor returns the settings for one plugin: those of the patterns that match its name, in the order of the patterns, overridden by
// those of the name itself, key by key. The values are shared.
func (p Plugins) LocalFor(name string) map[string]any {
	out := map[string]any{}
	for _, pattern := range slices.Sorted(maps.Keys(p.Local)) {
		if matchesAny([]string{pattern}, name) {
			maps.Copy(out, p.Local[pattern])
		}
	}
	maps.Copy(out, p.Local[name])
	return out
}

// ConfigFor returns the configuration of one plugin: its own defaults, overridden by the settings for all plugins, then by the
// settings for this plugin, key by key. The caller owns the result.
func (p Plugins) ConfigFor(name string, defaults map[string]any) map[string]any {
	out := map[string]any{}
	for _, layer := range []map[string]any{defaults, p.Global, p.LocalFor(name)} {
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

// pluginsFile is the value of the key plugins: in one home. Nil fields are not set.
type pluginsFile struct {
	Dir     *string  `yaml:"dir"`
	Unsafe  *bool    `yaml:"unsafe"`
	Native  *bool    `yaml:"native"`
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	Config  struct {
		Global map[string]any            `yaml:"global"`
		Local  map[string]map[string]any `yaml:"local"`
	} `yaml:"config"`
	Commands map[string]string  `yaml:"commands"`
	Timeouts map[string]Timeout `yaml:"timeouts"`
	Verify   *string            `yaml:"verify"`
	// Signed does not go into Plugins: only homes set it; see Signing.
	Signed signedRules `yaml:"signed"`
}

// over returns p overridden by the settings of a later home.
func (f pluginsFile) over(p Plugins) Plugins {
	if reflect.ValueOf(f).IsZero() {
		return p // unchanged, so that p does not compare as different
	}
	if f.Unsafe != nil {
		p.Unsafe = *f.Unsafe
	}
	if f.Native != nil {
		p.Native = *f.Native
	}
	if f.Include != nil {
		p.Include = f.Include
	}
	if f.Exclude != nil {
		p.Exclude = f.Exclude
	}
	if f.Verify != nil {
		p.Verify = *f.Verify
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
	if f.Commands != nil {
		p.Commands = mergeKeys(p.Commands, f.Commands)
	}
	if f.Timeouts != nil {
		p.Timeouts = mergeKeys(p.Timeouts, f.Timeouts)
	}
	return p
}

func mergeKeys[V any](below, above map[string]V) map[string]V {
	out := map[string]V{}
	maps.Copy(out, below)
	maps.Copy(out, above)
	return out
}

// root returns the directory of a home's plugins. In a path that the home names, ~ is the home directory of the user.
func (f pluginsFile) root(home Home, userHome string) PluginRoot {
	if f.Dir == nil || *f.Dir == "" {
		return PluginRoot{Home: home, Dir: filepath.Join(home.Dir, "plugins")}
	}
	dir := *f.Dir
	if rest, ok := strings.CutPrefix(dir, "~"); ok && userHome != "" && (rest == "" || rest[0] == '/') {
		dir = filepath.Join(userHome, rest)
	}
	return PluginRoot{Home: home, Dir: absolute(home.Dir, dir), Named: true}
}

// onlyUserVerify is why a file outside the user's home cannot set what verifies plugins.
const onlyUserVerify = "only the user's home decides what verifies plugins: set it in its features/plugins.yaml"

// checkVerify refuses a command outside the user's home.
func (l *loader) checkVerify(d declaration, f pluginsFile) error {
	if f.Verify != nil && !sameFile(d.Home.Dir, l.user) {
		return d.wrong([]string{pluginsKey, "verify"}, onlyUserVerify)
	}
	return nil
}

// check checks the patterns. d is the declaration that sets the features.
func (f pluginsFile) check(d declaration) error {
	for pattern := range f.Config.Local {
		if _, err := path.Match(pattern, ""); err != nil {
			return d.wrong([]string{pluginsKey, "config", "local"}, "%q is not a pattern: %w", pattern, err)
		}
	}
	for i, pattern := range slices.Concat(f.Include, f.Exclude) {
		key := "include"
		if i >= len(f.Include) {
			key = "exclude"
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return d.wrong([]string{pluginsKey, key}, "%q is not a pattern: %w", pattern, err)
		}
	}
	for name, timeout := range f.Timeouts {
		if timeout <= 0 {
			return d.wrong([]string{pluginsKey, "timeouts", name}, "%s is not positive", timeout)
		}
	}
	return nil
}
