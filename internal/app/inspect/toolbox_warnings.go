package inspect

import (
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/settings/setup"
)

// Warnings returns the names in filters, policies and settings that match nothing, and shell hooks that never work. It checks
// every agent in its own mode, and every mode with the toolbox's agent. Each warning is returned once.
func (b *Toolbox) Warnings() ([]string, error) {
	c := b.source.Config
	roles := []struct{ agent, mode string }{{b.role.Agent.Name, b.role.Mode.Name}}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		roles = append(roles, struct{ agent, mode string }{agent: name})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Modes)) {
		roles = append(roles, struct{ agent, mode string }{b.role.Agent.Name, name})
	}
	var out []string
	for _, names := range roles {
		r, err := setup.FindRole(c, names.agent, names.mode)
		if err != nil {
			continue // a mode that does not exist; see Dangling
		}
		f, err := b.source.Features(r)
		if err != nil {
			return out, err
		}
		hooks, err := b.source.HooksOf(r, f)
		if err != nil {
			return out, err
		}
		for _, text := range slices.Concat(b.source.Unmatched(r, f, b.all, b.views(), b.plugins.Installed), hooks.Warnings()) {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out, nil
}
