package app

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/nearest"
	"github.com/idelchi/aura/internal/tool"
)

// tellUnmatched reports the names in filters, policies and settings of plugins that nothing has. A rule that names no tool
// protects from nothing, and whoever wrote it should know. The names of the tools that were found are given.
func (a *App) tellUnmatched(tools []string) {
	for _, text := range slices.Concat(a.unmatchedTools(tools), a.unmatchedPlugins(), a.unknownSettings()) {
		a.notice("", text)
	}
}

// namesOf are the names of tools.
func namesOf(tools []tool.Tool) []string {
	out := make([]string, 0, len(tools))
	for _, t := range tools {
		out = append(out, t.Definition().Name)
	}
	return out
}

// mention is a pattern of names and what somebody says with it, such as `agent "a" enables`.
type mention struct{ says, pattern string }

func mentions(says string, patterns []string) []mention {
	out := make([]mention, 0, len(patterns))
	for _, p := range patterns {
		out = append(out, mention{says, p})
	}
	return out
}

// toolMentions are all patterns of tools that are in force.
func (a *App) toolMentions() []mention {
	out := mentions("opt_in: in the settings names", a.features.Tools.OptIn)
	policies := []struct {
		of string
		by config.Policy
	}{{"tools: in the settings", a.features.Tools.Policy}}
	layers := a.namedLayers()
	if t := a.opts.Task; t != nil {
		name := fmt.Sprintf("task %q", t.Name)
		layers = append(layers, namedLayer{name, name, t.Tools})
	}
	for _, l := range layers {
		out = slices.Concat(out, mentions(l.enables+" enables", l.by.Enabled), mentions(l.disables+" disables", l.by.Disabled))
		policies = append(policies, struct {
			of string
			by config.Policy
		}{l.disables, l.by.Policy})
	}
	for _, p := range policies {
		out = slices.Concat(out,
			mentions("the policy of "+p.of+" denies", p.by.Deny), mentions("the policy of "+p.of+" asks before", p.by.Confirm),
			mentions("the policy of "+p.of+" allows", p.by.Auto))
	}
	return out
}

func (a *App) unmatchedTools(known []string) []string {
	known = slices.Concat(known, tool.Conditional())
	for _, p := range a.plugins() {
		if exports, ok := p.Exports(); ok && exports.Tool != nil {
			known = append(known, exports.Tool.Schema.Name) // also if it is not available today
		}
	}
	var out []string
	for _, m := range a.toolMentions() {
		// What follows the colon of a rule is what a call is about.
		name, _, _ := strings.Cut(m.pattern, ":")
		if name = strings.TrimSpace(name); slices.ContainsFunc(known, func(k string) bool { return tool.Match([]string{name}, k) }) || a.mayBeServed(name) {
			continue
		}
		hint := nearest.Hint(name, known)
		if hint == "" && a.opts.WithoutPlugins {
			continue // it may be the tool of a plugin
		}
		out = append(out, fmt.Sprintf("%s %q, which matches no tool%s", m.says, m.pattern, hint))
	}
	return out
}

// mayBeServed reports whether a pattern may be meant for the tools of a configured MCP server, which come and go.
func (a *App) mayBeServed(pattern string) bool {
	head, _, _ := strings.Cut(pattern, "*")
	for name := range a.cfg.MCPServers {
		if prefix := mcpPrefix + name + "__"; strings.HasPrefix(head, prefix) || strings.HasPrefix(prefix, head) && head != pattern {
			return true
		}
	}
	return false
}

func (a *App) unmatchedPlugins() []string {
	if a.opts.WithoutPlugins {
		return nil
	}
	p := a.features.Plugins
	var out []string
	for _, m := range slices.Concat(
		mentions("plugins.include names", p.Include), mentions("plugins.exclude names", p.Exclude),
		mentions("plugins.config.local has settings for", slices.Sorted(maps.Keys(p.Local))),
	) {
		matches := func(name string) bool {
			ok, err := path.Match(m.pattern, name)
			return err == nil && ok || name == m.pattern
		}
		if !slices.ContainsFunc(a.installed, matches) {
			out = append(out, fmt.Sprintf("%s %q, which matches no plugin%s", m.says, m.pattern, nearest.Hint(m.pattern, a.installed)))
		}
	}
	return out
}
