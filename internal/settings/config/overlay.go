package config

import (
	"iter"
	"slices"

	"gopkg.in/yaml.v3"
)

const (
	nullTag  = "!!null"
	mergeTag = "!!merge"
)

// overlay merges one tree of settings over another. Mappings are merged key by key. Any other value that is set above replaces
// the value below. Null means not set. overlay changes neither tree. Both must have passed the check against their type, which
// limits the expansion of aliases.
func overlay(below, above *yaml.Node) *yaml.Node {
	above = aliased(above)
	if below == nil {
		return flat(above)
	}
	below = aliased(below)
	switch {
	case above.IsZero(), above.ShortTag() == nullTag:
		return flat(below)
	case below.Kind != yaml.MappingNode, above.Kind != yaml.MappingNode:
		return flat(above)
	}
	out := flat(below)
	for key, value := range pairs(above) {
		if i := index(out, key.Value); i < 0 {
			out.Content = append(out.Content, key, flat(value))
		} else {
			out.Content[i+1] = overlay(out.Content[i+1], value)
		}
	}
	return out
}

// flat returns a tree without aliases and without keys merged with <<. Its mappings are copies.
func flat(n *yaml.Node) *yaml.Node {
	n = aliased(n)
	if n.Kind != yaml.MappingNode {
		return n
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	for key, value := range pairs(n) {
		out.Content = append(out.Content, key, flat(value))
	}
	return out
}

// pairs yields the keys of a mapping with their values. Keys merged with << come last, and only if the mapping does not have them
// itself. If several merged mappings have a key, the first takes precedence.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		mappings := append([]*yaml.Node{n}, mergedIn(n)...)
		for i, mapping := range mappings {
			for j := 0; j+1 < len(mapping.Content); j += 2 {
				key := aliased(mapping.Content[j])
				hidden := func(earlier *yaml.Node) bool { return index(earlier, key.Value) >= 0 }
				if key.ShortTag() == mergeTag || slices.ContainsFunc(mappings[:i], hidden) {
					continue
				}
				if !yield(key, mapping.Content[j+1]) {
					return
				}
			}
		}
	}
}

// mergedIn returns the mappings that the << keys of a mapping refer to, recursively, in order of precedence.
func mergedIn(n *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != mergeTag {
			continue
		}
		value := aliased(n.Content[i+1])
		items := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			items = value.Content
		}
		for _, item := range items {
			item = aliased(item)
			out = append(out, item)
			out = append(out, mergedIn(item)...)
		}
	}
	return out
}

func aliased(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// index returns the index of a key in the content of a mapping, not counting merged keys, or -1.
func index(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := aliased(n.Content[i]); k.Value == key && k.ShortTag() != mergeTag {
			return i
		}
	}
	return -1
}

// value returns the value of a key of a mapping. It returns nil if n does not have the key or is not a mapping.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	if n = aliased(n); n.Kind != yaml.MappingNode {
		return nil
	}
	for k, v := range pairs(n) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

// without returns a flat mapping without some of its keys.
func without(n *yaml.Node, keys ...string) *yaml.Node {
	out := flat(n)
	for i := len(out.Content) - 2; i >= 0 && out.Kind == yaml.MappingNode; i -= 2 {
		if slices.Contains(keys, out.Content[i].Value) {
			out.Content = slices.Delete(out.Content, i, i+2)
		}
	}
	return out
}

// pruned returns a flat tree without null keys, in mappings of any depth. When the tree is decoded over a value, settings that
// are not set keep their values.
func pruned(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return n
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if value := n.Content[i+1]; value.ShortTag() != nullTag {
			out.Content = append(out.Content, n.Content[i], pruned(value))
		}
	}
	return out
}
