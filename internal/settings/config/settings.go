package config

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Setting is a value that a file sets: a feature, or a key of an agent, a mode or a task.
type Setting struct {
	// Of names the entity that has the setting, such as agent reviewer. It is empty for the features of a home.
	Of string
	// Key is the path of keys, joined with dots. The key of a feature begins with the feature's name, wherever it is set.
	Key string
	// Value is the value as written. The items of a list are separated by commas.
	Value string
	Place
}

// Items returns the items of a list.
func (s Setting) Items() []string { return strings.Split(s.Value, separator) }

// separator separates the items of a list in Setting.Value.
const separator = ", "

// Settings returns all settings of features in the files of a home, and the filters of its agents, modes and tasks, in a fixed
// order. Null values are not set.
func (c *Config) Settings(home Home) []Setting {
	var out []Setting
	add := func(of string, d declaration) {
		if d.Home.Dir == home.Dir {
			out = append(out, d.settings(of)...)
		}
	}
	for _, d := range c.globals.set {
		add("", d)
	}
	entity := func(of string, made lineage) {
		d := made.own()
		add(of, d.below(featuresKey))
		for _, key := range []string{toolsKey, "hooks"} {
			for _, s := range d.below(key).settings(of) {
				if d.Home.Dir == home.Dir {
					s.Key = joined(key, s.Key)
					out = append(out, s)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		entity("agent "+name, c.Agents[name].made)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Modes)) {
		entity("mode "+name, c.Modes[name].made)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tasks)) {
		entity("task "+name, c.Tasks[name].made)
	}
	return out
}

// settings returns the values of a declaration that are set and are not mappings.
func (d declaration) settings(of string) []Setting {
	var out []Setting
	d.eachLeaf(func(key string, value *yaml.Node, at Place) {
		out = append(out, Setting{Of: of, Key: key, Value: written(value), Place: at})
	})
	return out
}

// written returns a value on one line.
func written(n *yaml.Node) string {
	if n.Kind != yaml.SequenceNode {
		return n.Value
	}
	var items []string
	for _, item := range n.Content {
		if item = aliased(item); item.Kind == yaml.ScalarNode {
			items = append(items, item.Value)
		} else {
			items = append(items, "…")
		}
	}
	return strings.Join(items, separator)
}
