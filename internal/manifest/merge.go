package manifest

import (
	"slices"
	"strings"
)

// Shadow is a plugin that a namesake of a later layer hides.
type Shadow struct {
	Plugin

	// By is the directory of the plugin that is used instead.
	By string
}

// Merge puts layers of plugins over one another. Of plugins with one name that of the last layer is active, be it
// disabled or broken, and the others are shadowed. Both results are in the order of names; of several shadowed ones
// the first layer's comes first.
func Merge(layers ...[]Plugin) (active []Plugin, shadowed []Shadow) {
	winners := make(map[string]int)
	byName := func(a, b Plugin) int { return strings.Compare(a.Name, b.Name) }

	for layer, plugins := range layers {
		for _, p := range plugins {
			winners[p.Name] = layer
		}
	}

	for layer, plugins := range layers {
		for _, p := range plugins {
			if winners[p.Name] == layer {
				active = append(active, p)
			}
		}
	}

	slices.SortStableFunc(active, byName)

	for layer, plugins := range layers {
		for _, p := range plugins {
			if winners[p.Name] == layer {
				continue
			}

			i, _ := slices.BinarySearchFunc(active, p, byName)
			shadowed = append(shadowed, Shadow{Plugin: p, By: active[i].Dir})
		}
	}

	slices.SortStableFunc(shadowed, func(a, b Shadow) int { return strings.Compare(a.Name, b.Name) })

	return active, shadowed
}
