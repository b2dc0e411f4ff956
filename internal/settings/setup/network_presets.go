package setup

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/presets"
)

// presetAge is how long the hosts of presets count. To ask the tools takes seconds, and their settings change rarely.
const presetAge = 10 * time.Minute

// maxPresets is how many presets are kept, over all working directories.
const maxPresets = 64

// presetCache keeps the hosts of presets. Every confinement needs them, and a session makes one for each call.
type presetCache struct {
	mu    sync.Mutex
	found map[presetKey]foundPreset
}

type presetKey struct{ workdir, name string }

type foundPreset struct {
	hosts []network.Pattern
	until time.Time
}

var presetHosts = presetCache{found: map[presetKey]foundPreset{}}

// expandPresets replaces the presets in rules by their hosts.
func expandPresets(c *config.Config, r network.Rules) network.Rules {
	names := r.Presets()
	if len(names) == 0 {
		return r
	}
	return r.Expand(presetHosts.get(c, names))
}

// get returns the hosts of presets. Whoever comes at the same time waits, so that the tools are asked once.
func (p *presetCache) get(c *config.Config, names []string) map[string][]network.Pattern {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return now.Before(p.found[presetKey{c.Workdir, name}].until)
	})
	if len(missing) > 0 {
		if len(p.found) > maxPresets {
			clear(p.found)
		}
		hosts := presets.Hosts(Presets(context.Background(), c, missing...))
		for _, name := range missing {
			p.found[presetKey{c.Workdir, name}] = foundPreset{hosts[name], time.Now().Add(presetAge)}
		}
	}
	out := map[string][]network.Pattern{}
	for _, name := range names {
		out[name] = p.found[presetKey{c.Workdir, name}].hosts
	}
	return out
}
