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

// Select keeps the plugins whose name matches a pattern of include, or all if there is none, and no pattern of
// exclude. In a pattern * stands for any characters and ? for one; all others stand for themselves, so that there is
// no invalid pattern. The order stays as it is.
func Select(plugins []Plugin, include, exclude []string) (kept, dropped []Plugin) {
	for _, p := range plugins {
		matches := func(pattern string) bool { return match(pattern, p.Name) }

		if (len(include) == 0 || slices.ContainsFunc(include, matches)) && !slices.ContainsFunc(exclude, matches) {
			kept = append(kept, p)
		} else {
			dropped = append(dropped, p)
		}
	}

	return kept, dropped
}

// match holds the whole name against a pattern. On a mismatch it returns to the last star and lets it take one
// character more, so that the time is bounded by the product of the lengths.
func match(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j := 0, 0
	star, taken := -1, 0

	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, taken = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i++
			j++
		case star >= 0:
			taken++
			i, j = star+1, taken
		default:
			return false
		}
	}

	return strings.Trim(string(p[i:]), "*") == ""
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
