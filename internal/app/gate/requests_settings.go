package gate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// settings lists the project's settings that give tools, plugins or the model more than they have without the project.
func (i *inventory) settings() {
	if i.found.Home == "" {
		return
	}
	own := i.ownKeys()
	for _, s := range i.c.Settings(config.Home{Dir: i.found.Home}) {
		kind, widens := trust.Widens(s.Key, s.Value, own(s))
		text := "is set to " + cmp.Or(s.Value, "-")
		if !widens && i.varies(s.File) {
			kind, widens = trust.Widens(s.Key, "${}", own(s))
			text += "; " + canChange
		}
		if !widens {
			continue
		}
		name := s.Key
		if s.Of != "" {
			name = s.Of + ": " + s.Key
		}
		i.add(kind, name, s.File, s.Line, "%s", text)
	}
}

// ownKeys returns a function that reports whether a setting of the project is about something that the user has set. Filters of
// hooks are if the user has hooks, and a list of enabled tools is if it names a tool that the user's settings or plugins make opt-in.
func (i *inventory) ownKeys() func(config.Setting) bool {
	set := map[string]bool{}
	var optIn []string
	for _, home := range i.own.Homes {
		for _, s := range i.own.Settings(home) {
			set[s.Key] = true
			if s.Key == "tools.opt_in" {
				optIn = append(optIn, s.Items()...)
			}
		}
	}
	opts := func(name string) bool {
		return i.optIn || tool.Match(optIn, name) || len(optIn) > 0 && strings.Contains(name, "${")
	}
	return func(s config.Setting) bool {
		return set[s.Key] || strings.HasPrefix(s.Key, "hooks.") && len(i.own.Hooks) > 0 ||
			s.Key == "tools.enabled" && slices.ContainsFunc(s.Items(), opts)
	}
}

// replaced lists what replaces something of the user's with the same name: agents and modes may do what the user's own are not
// allowed to do, definitions give back tools that the user disabled, and texts instruct the model in the user's place.
func (i *inventory) replaced() {
	for _, part := range []struct {
		kind  string
		names []string
	}{
		{"agent", slices.Sorted(maps.Keys(i.own.Agents))},
		{"mode", slices.Sorted(maps.Keys(i.own.Modes))},
		{"tool", slices.Sorted(maps.Keys(i.own.ToolDefinitions))},
		{"prompt", slices.Sorted(maps.Keys(i.own.Prompts))},
		{"command", slices.Sorted(maps.Keys(i.own.Commands))},
		{"skill", slices.Sorted(maps.Keys(i.own.Skills))},
		{"mcp server", slices.Sorted(maps.Keys(i.own.MCPServers))},
	} {
		for _, name := range part.names {
			if places := i.run.Places(part.kind, name); len(places) > 0 && i.of(places[0].Source) {
				of := "yours"
				if mine := i.own.Places(part.kind, name); len(mine) > 0 && mine[0].Home.Kind == config.HomeBuiltin {
					of = "aura's own"
				}
				i.add(trust.KindPolicy, part.kind+" "+name, places[0].File, places[0].Line, "takes the place of %s with this name", of)
			}
		}
	}
}

// chosen lists the agents and modes of the project that choose an agent or a mode of the user, and a default agent of the project
// that takes the place of the user's: a session would begin with what the user made for other purposes, such as a mode that turns
// the sandbox off.
func (i *inventory) chosen() {
	for _, name := range slices.Sorted(maps.Keys(i.c.Agents)) {
		a := i.c.Agents[name]
		if !i.of(a.Source) {
			continue
		}
		i.choice("agent", name, "mode", "mode", a.Mode)
		if a.Mode != "" && (!i.foreign("mode", a.Mode) || i.builtin("mode", a.Mode)) {
			i.add(trust.KindPolicy, "agent "+name+": mode", a.Source.File, i.line("agent", name), "works in mode %s, which may ask less than the usual one", a.Mode)
		}
		i.choice("agent", name, "inherit", "agent", a.Inherit...)
		i.choice("agent", name, "fallback", "agent", a.Fallback...)
		if mine, ok := i.own.DefaultAgent(); ok && (a.Default || i.varies(a.Source.File)) {
			i.add(trust.KindPolicy, "agent "+name+": default", a.Source.File, i.line("agent", name), "is the default agent instead of yours, %s", mine.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.c.Modes)) {
		if !i.foreign("mode", name) {
			i.choice("mode", name, "inherit", "mode", i.c.Modes[name].Inherit...)
		}
	}
}

// choice lists the names under a key of an agent or a mode that are not the project's own.
func (i *inventory) choice(kind, name, key, of string, names ...string) {
	for _, chosen := range names {
		if chosen != "" && i.foreign(of, chosen) && !i.builtin(of, chosen) {
			place := i.c.Places(kind, name)[0]
			i.add(trust.KindPolicy, kind+" "+name+": "+key, place.File, place.Line, "uses your %s %s", of, chosen)
		}
	}
}

// foreign reports whether an agent or a mode is not declared by the project. This includes one that does not exist yet.
func (i *inventory) foreign(kind, name string) bool {
	places := i.c.Places(kind, name)
	return len(places) == 0 || !i.of(places[0].Source)
}

// builtin reports whether an agent or a mode is the one that aura brings along.
func (i *inventory) builtin(kind, name string) bool {
	places := i.c.Places(kind, name)
	return len(places) > 0 && places[0].Home.Kind == config.HomeBuiltin
}
