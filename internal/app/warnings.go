package app

import (
	"fmt"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Warnings returns the problems in the files of the homes that do not prevent reading them. The notice about where the
// configuration was found is not a warning.
func (l Listing) Warnings() []string {
	return slices.DeleteFunc(slices.Clone(l.Notices), func(text string) bool { return text == "using the configuration in "+l.Project })
}

// Dangling returns the references of agents and tasks to things that do not exist. Using such an agent or task fails.
func (l Listing) Dangling() []string {
	var out []string
	refer := func(from, key, name string, known []string) {
		if name != "" && !slices.Contains(known, name) {
			out = append(out, fmt.Sprintf("%s has %s: %s, which does not exist%s", from, key, name, nearest.Hint(name, known)))
		}
	}
	agents, modes := slices.Sorted(maps.Keys(l.Agents)), slices.Sorted(maps.Keys(l.Modes))
	providers, prompts := slices.Sorted(maps.Keys(l.Providers)), slices.Sorted(maps.Keys(l.Prompts))
	for _, name := range agents {
		a, from := l.Agents[name], fmt.Sprintf("agent %q", name)
		refer(from, "model.provider", a.Model.Provider, providers)
		refer(from, "mode", a.Mode, modes)
		refer(from, "system", a.System, prompts)
		for _, other := range a.Fallback {
			refer(from, "fallback", other, agents)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Tasks)) {
		t, from := l.Tasks[name], fmt.Sprintf("task %q", name)
		refer(from, "agent", t.Agent, agents)
		refer(from, "mode", t.Mode, modes)
	}
	return out
}

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
