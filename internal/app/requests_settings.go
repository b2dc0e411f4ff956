package app

import (
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/trust"
)

// settings lists the project's settings that give tools, plugins or the model more than they have without the project.
func (i *inventory) settings() {
	if i.found.Home == "" {
		return
	}
	own := i.ownKeys()
	for _, s := range i.c.Settings(config.Home{Dir: i.found.Home}) {
		kind, widens := trust.Widens(s.Key, s.Value, own(s.Key))
		if !widens {
			continue
		}
		name := s.Key
		if s.Of != "" {
			name = s.Of + ": " + s.Key
		}
		i.add(kind, name, s.File, s.Line, "is set to %s", dash(s.Value))
	}
}

// ownKeys returns a function that reports whether the user sets a key. Filters of hooks count as set if the user has hooks,
// because they filter the user's hooks.
func (i *inventory) ownKeys() func(key string) bool {
	set := map[string]bool{}
	for _, home := range i.own.Homes {
		for _, s := range i.own.Settings(home) {
			set[s.Key] = true
		}
	}
	return func(key string) bool {
		return set[key] || strings.HasPrefix(key, "hooks.") && len(i.own.Hooks) > 0
	}
}

// replaced lists the agents and modes that replace those of the user: they may do what the user's own are not allowed to do.
func (i *inventory) replaced() {
	for _, part := range []struct {
		kind  string
		names []string
	}{
		{"agent", slices.Sorted(maps.Keys(i.own.Agents))},
		{"mode", slices.Sorted(maps.Keys(i.own.Modes))},
	} {
		for _, name := range part.names {
			if places := i.c.Places(part.kind, name); len(places) > 0 && i.of(places[0].Source) {
				i.add(trust.KindPolicy, part.kind+" "+name, places[0].File, places[0].Line, "takes the place of yours with this name")
			}
		}
	}
}
