package cli

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// shown is an entity as show prints it.
type shown struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Status holds the distinguishing properties of the entity, such as default or disabled.
	Status string `json:"status,omitempty"`
	// place is where the entity is declared. Features have a place for each setting instead.
	*place
	// Shadows lists where homes of lower precedence declare an entity of the same name.
	Shadows  []place          `json:"shadows,omitempty"`
	Origins  map[string]place `json:"origins,omitempty"`
	Settings map[string]any   `json:"settings"`
	// Body is the text below the frontmatter.
	Body string `json:"body,omitempty"`

	settings []setting
}

// place is a line of a file.
type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Home is user or project.
	Home config.HomeKind `json:"home"`
}

func placeOf(p config.Place) place { return place{File: p.File, Line: p.Line, Home: p.Home.Kind} }

// shownKind is a kind that can be shown: its name on the command line, its singular name, and how to list its entities.
type shownKind struct {
	plural, one string
	list        func(c *config.Config, v viewer) ([]shown, error)
}

// listModes lists the modes, also those that the policy of the machine refuses.
func listModes(c *config.Config, v viewer) ([]shown, error) {
	return entityKind("modes", "mode", func(c *config.Config) map[string]config.Mode { return c.Modes }, func(m config.Mode) shown {
		return shown{
			Description: m.Description, Status: words(map[string]bool{"hidden": m.Hide, "refused by the policy of this machine": c.PermitModeOf(m) != nil}),
			Body: m.Prompt, settings: overrides(m.Features),
		}
	}).list(c, v)
}

// shownKinds lists all kinds, in the order of the overview.
var shownKinds = []shownKind{
	entityKind("agents", "agent", agentsInForce, func(a config.Agent) shown {
		return shown{Description: a.Description, Status: words(map[string]bool{
			"default": a.Default, "hidden": a.Hide, "subagent": a.Subagent,
		}), Body: a.Prompt, settings: overrides(a.Features)}
	}),
	{plural: "modes", one: "mode", list: listModes},
	entityKind("prompts", "prompt", func(c *config.Config) map[string]config.Prompt { return c.Prompts }, func(p config.Prompt) shown {
		return shown{Body: p.Body}
	}),
	entityKind("providers", "provider", func(c *config.Config) map[string]config.Provider { return c.Providers }, func(p config.Provider) shown {
		described := strings.TrimSpace(string(p.Type) + " " + setup.Address(p))
		if p.URLFrom != "" {
			described += " (" + p.URLFrom + ")"
		}
		return shown{Description: described}
	}),
	entityKind("hooks", "hook", func(c *config.Config) map[string]config.Hook { return c.Hooks }, func(h config.Hook) shown {
		return shown{Description: h.Description, Status: words(map[string]bool{"disabled": h.Disabled})}
	}),
	{plural: "features", one: "feature", list: listFeatures},
	entityKind("tasks", "task", func(c *config.Config) map[string]config.Task { return c.Tasks }, func(t config.Task) shown {
		return shown{Description: t.Description, Status: words(map[string]bool{"disabled": t.Disabled}), settings: overrides(t.Features)}
	}),
	{plural: skillsKind, one: "skill", list: listSkills},
	entityKind("commands", "command", func(c *config.Config) map[string]config.Command { return c.Commands }, func(m config.Command) shown {
		return shown{Description: m.Description, Body: m.Body}
	}),
}

var usedSkills = entityKind(skillsKind, "skill", func(c *config.Config) map[string]config.Skill { return c.Skills }, func(s config.Skill) shown {
	return shown{Description: s.Description, Body: s.Body}
})

// listSkills also returns the skills that are left out, with the reason as the description.
func listSkills(c *config.Config, v viewer) ([]shown, error) {
	out, err := usedSkills.list(c, v)
	for _, left := range c.SkillsLeftOut {
		at := placeOf(left.Place)
		out = append(out, shown{Kind: "skill", Name: left.Name, Status: "left out", Description: left.Reason, place: &at, Settings: map[string]any{}})
	}
	return out, err
}

// viewer defines what to hide, and for which agent and mode features are combined.
type viewer struct {
	hide  mask
	agent config.Agent
	mode  config.Mode
}

// agentsInForce returns all agents. At most one of them is the default: the one in the home of highest precedence.
func agentsInForce(c *config.Config) map[string]config.Agent {
	usual, _ := c.DefaultAgent()
	all := maps.Clone(c.Agents)
	for name, a := range all {
		a.Default = name == usual.Name
		all[name] = a
	}
	return all
}

// entityKind returns a kind whose entities are declared in files, by name. more returns the parts of an entity that are not
// settings.
func entityKind[T any](plural, one string, from func(*config.Config) map[string]T, more func(T) shown) shownKind {
	return shownKind{plural: plural, one: one, list: func(c *config.Config, v viewer) ([]shown, error) {
		all := from(c)
		var out []shown
		for _, name := range slices.Sorted(maps.Keys(all)) {
			e := more(all[name])
			e.Kind, e.Name, e.Body = one, name, v.hide.text(e.Body)
			e.readSettings(all[name], v.hide)
			for i, p := range c.Places(one, name) {
				at := placeOf(p)
				if i == 0 {
					e.place = &at
				} else {
					e.Shadows = append(e.Shadows, at)
				}
			}
			out = append(out, e)
		}
		return out, nil
	}}
}

// readSettings splits an entity into settings. It omits name and description, which are shown elsewhere.
func (e *shown) readSettings(of any, hide mask) {
	r := reader{hide: hide}
	r.read(nil, reflect.ValueOf(of))
	own := slices.DeleteFunc(r.out, func(s setting) bool { return s.key() == "name" || s.key() == "description" })
	for _, s := range e.settings {
		s.value = hide.value(s.path, s.value)
		own = append(own, s)
	}
	e.settings, e.Settings = own, nested(own)
}

// overrides returns the features that an entity overrides.
func overrides(features map[string]any) []setting {
	r := reader{}
	r.hide = mask{}
	r.read([]string{"features"}, reflect.ValueOf(features))
	return r.out
}

// words returns the words that apply, sorted and joined.
func words(apply map[string]bool) string {
	var out []string
	for _, word := range slices.Sorted(maps.Keys(apply)) {
		if apply[word] {
			out = append(out, word)
		}
	}
	return strings.Join(out, ", ")
}

// listFeatures returns each feature with all its settings, including defaults, and where each is set.
func listFeatures(c *config.Config, v viewer) ([]shown, error) {
	features, err := c.FeaturesFor(v.agent, v.mode, nil)
	if err != nil {
		return nil, err
	}
	places := c.FeaturePlaces(v.agent, v.mode, nil)
	r := reader{zero: true, hide: v.hide}
	r.read([]string{"plugins", "dir"}, reflect.ValueOf(pluginDirs(c)))
	r.read(nil, reflect.ValueOf(features))
	var out []shown
	for _, s := range r.out {
		if s.path[0] == "plugins" && len(s.path) > 1 && (s.path[1] == "global" || s.path[1] == "local") {
			s.path = slices.Insert(slices.Clone(s.path), 1, "config")
		}
		i := slices.IndexFunc(out, func(e shown) bool { return e.Name == s.path[0] })
		if i < 0 {
			i = len(out)
			out = append(out, shown{Kind: "feature", Name: s.path[0], Origins: map[string]place{}})
		}
		e := &out[i]
		e.settings = append(e.settings, s)
		if p, ok := origin(places, s.path); ok {
			e.Origins[s.key()] = placeOf(p)
		}
	}
	for i := range out {
		out[i].Settings, _ = nested(out[i].settings)[out[i].Name].(map[string]any)
	}
	slices.SortFunc(out, func(a, b shown) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// pluginDirs returns the plugin directories of the homes, highest precedence first.
func pluginDirs(c *config.Config) []string {
	var out []string
	for _, root := range slices.Backward(c.PluginRoots()) {
		out = append(out, root.Dir)
	}
	return out
}

// origin returns where a setting, or an enclosing one, is set.
func origin(places map[string]config.Place, path []string) (config.Place, bool) {
	for n := len(path); n > 0; n-- {
		if p, ok := places[strings.Join(path[:n], ".")]; ok {
			return p, true
		}
	}
	return config.Place{}, false
}
