package network

import "slices"

// presets holds the names of the presets. Which hosts belong to one is found elsewhere, by asking the user's own tools.
var presets = []string{"go", "npm", "pypi", "crates", "debian", "maven", "github", "gitlab"}

// PresetNames returns the names of all presets.
func PresetNames() []string { return slices.Clone(presets) }

// Preset returns the pattern that stands for the hosts of a preset.
func Preset(name string) Pattern { return Pattern{preset: name} }

// Default returns the rules that apply without settings: the presets are allowed, and other hosts are asked about. The presets are not expanded:
// that takes seconds, so it waits until a host is asked about. See Rules.FromPreset.
func Default() Rules {
	r := Rules{Ask: true, Lenient: true}
	for _, name := range presets {
		r.Allow = append(r.Allow, Preset(name))
	}
	return r
}
