package config

import (
	"maps"
	"slices"

	"gopkg.in/yaml.v3"
)

// Place is a line of a file that declares something.
type Place struct {
	Source

	Line int
}

// origins maps kinds and names to the places where the entities are declared, in the order in which the homes are read.
type origins map[string]map[string][]Place

func (o origins) addPlace(kind, name string, at Place) {
	if o[kind] == nil {
		o[kind] = map[string][]Place{}
	}
	at.Line = max(at.Line, 1)
	o[kind][name] = append(o[kind][name], at)
}

// Places returns where an entity is declared: first the place in effect, then the places that it hides, highest precedence first.
// kind is agent, mode, prompt, provider, task, command, skill and so on.
func (c *Config) Places(kind, name string) []Place {
	out := slices.Clone(c.origins[kind][name])
	slices.Reverse(out)
	return out
}

// FeaturePlaces returns where the settings that FeaturesFor combines are set, by their keys joined with dots. Settings that no
// file sets, and that therefore have their default, are not included.
func (c *Config) FeaturePlaces(agent Agent, mode Mode, task *Task) map[string]Place {
	set := slices.Clone(c.globals.set)
	layers := []lineage{agent.made, mode.made}
	if task != nil {
		layers = append(layers, task.made)
	}
	for _, made := range layers {
		for _, d := range made {
			set = append(set, d.below(featuresKey))
		}
	}
	out := map[string]Place{}
	for _, d := range set {
		maps.Copy(out, d.leaves())
	}
	return out
}

// leaves returns the places of all values of a declaration that are set and are not mappings.
func (d declaration) leaves() map[string]Place {
	out := map[string]Place{}
	d.eachLeaf(func(key string, _ *yaml.Node, at Place) { out[key] = at })
	return out
}

// eachLeaf visits the values of a declaration that are set and are not mappings, in the order of the file.
func (d declaration) eachLeaf(visit func(key string, value *yaml.Node, at Place)) {
	var walk func(n *yaml.Node, key string)
	walk = func(n *yaml.Node, key string) {
		switch {
		case n.IsZero(), n.ShortTag() == nullTag:
		case n.Kind == yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				walk(n.Content[i+1], joined(key, n.Content[i].Value))
			}
		default:
			visit(key, n, Place{Source: d.Source, Line: max(n.Line, 1)})
		}
	}
	walk(d.node(), "")
}
