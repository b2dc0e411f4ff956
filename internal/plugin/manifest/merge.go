package manifest

import (
	"slices"
	"strings"
)

// Shadow is a plugin that is hidden by a plugin of the same name in a later layer.
type Shadow struct {
	Plugin

	// By is the directory of the plugin that is used instead.
	By string
}

// Merge merges layers of plugins. Of the plugins with the same name, the one in the last layer is active, even if it is disabled
// or broken. The others are shadowed. Both results are sorted by name. Shadowed plugins of the same name are in the order of
// their layers.
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
