package setup

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/nearest"
	"github.com/idelchi/aura/internal/tool"
)

// Unmatched reports the names in filters, policies, hooks and settings of plugins that nothing has. A rule that names no tool
// protects from nothing, and whoever wrote it should know. The tools are those that were found. It starts nothing.
func (s Source) Unmatched(r Role, f config.Features, tools []tool.Tool, plugins []host.View, installed []string) []string {
	known := toolNames(tools, plugins)
	return slices.Concat(
		s.unmatchedTools(r, f, known), s.unmatchedHooks(r), s.unmatchedMatchers(r, f, known), s.unmatchedDefinitions(known),
		s.unmatchedPlugins(f.Plugins, installed), s.unknownSettings(f.Plugins))
}

// unmatchedHooks reports the filters of hooks that match none.
func (s Source) unmatchedHooks(r Role) []string {
	known := slices.Sorted(maps.Keys(s.Config.Hooks))
	var out []string
	for _, l := range hookLayers(r) {
		for _, m := range slices.Concat(mentions(l.Origin+" enables", l.Enabled), mentions(l.Origin+" disables", l.Disabled)) {
			if !slices.ContainsFunc(known, func(k string) bool { return tool.Match([]string{m.pattern}, k) }) {
				out = append(out, fmt.Sprintf("%s the hook %q, which matches no hook%s", m.says, m.pattern, nearest.Hint(m.pattern, known)))
			}
		}
	}
	return out
}

// unmatchedMatchers reports the hooks that never run because their matchers match no tool. Like a definition of a tool, a hook in the
// user's home may be meant for a tool that other projects have, so only what resembles a tool is reported.
func (s Source) unmatchedMatchers(r Role, f config.Features, known []string) []string {
	runner, err := s.HooksOf(r, f)
	if err != nil {
		return nil // aura does not start with such hooks
	}
	var out []string
	for _, e := range slices.Concat(runner.Pre, runner.Post) {
		if e.Matcher == nil || slices.ContainsFunc(known, e.Matcher.MatchString) {
			continue
		}
		if near := nearest.Hint(strings.Trim(e.Matcher.String(), "^$()"), known); near != "" {
			out = append(out, fmt.Sprintf("hook %q never runs: its matcher %q matches no tool%s", e.Name, e.Matcher, near))
		}
	}
	return out
}

// unmatchedDefinitions reports the definitions in config/tools that are of no tool.
func (s Source) unmatchedDefinitions(known []string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Config.ToolDefinitions)) {
		if near := nearest.Hint(name, known); near != "" && !s.matchesTool(name, known) {
			out = append(out, fmt.Sprintf("config/tools describes %q, which is no tool%s", name, near))
		}
	}
	return out
}

// toolNames are the names of tools and of those that some sessions have.
func toolNames(tools []tool.Tool, plugins []host.View) []string {
	known := tool.Conditional()
	for _, t := range tools {
		known = append(known, t.Definition().Name)
	}
	for _, p := range plugins {
		if exports, ok := p.Exports(); ok && exports.Tool != nil {
			known = append(known, exports.Tool.Schema.Name) // also if it is not available today
		}
	}
	return known
}

// Told is what was reported in a session, which is not reported again. It keeps a bounded number of texts, and then reports nothing
// more. The zero value is ready for use, from several goroutines.
type Told struct {
	mu    sync.Mutex
	texts map[string]bool
}

// maxTold is how many texts are remembered.
const maxTold = 100

// first reports whether a text is new.
func (t *Told) first(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts[text] || len(t.texts) >= maxTold {
		return false
	}
	if t.texts == nil {
		t.texts = map[string]bool{}
	}
	t.texts[text] = true
	return true
}

// maxPattern is how much of a plugin's pattern is shown, in bytes.
const maxPattern = 100

// disabled reports the patterns by which plugins withhold tools and that match none, each once in a session.
func (s Source) disabled(known []string) func(plugin, pattern string) {
	if s.Disabled == nil {
		return nil
	}
	return func(plugin, pattern string) {
		if s.matchesTool(pattern, known) {
			return
		}
		shown := limit.Shorten(pattern, maxPattern)
		text := fmt.Sprintf("plugin %q disables %q, which matches no tool%s", plugin, shown, nearest.Hint(shown, known))
		if s.Disabled.first(text) {
			s.notice(plugin, text)
		}
	}
}

// matchesTool reports whether a pattern matches a tool, or may match one of a server.
func (s Source) matchesTool(pattern string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool { return tool.Match([]string{pattern}, k) }) || s.mayBeServed(pattern)
}

// MCPPrefix is what the names of all tools of MCP servers begin with.
const MCPPrefix = "mcp__"

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
func (s Source) toolMentions(r Role, f config.Features) []mention {
	out := mentions("opt_in: in the settings names", f.Tools.OptIn)
	policies := []struct {
		of string
		by config.Policy
	}{{"tools: in the settings", f.Tools.Policy}}
	layers := s.namedLayers(r, f)
	if t := s.Options.Task; t != nil {
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

func (s Source) unmatchedTools(r Role, f config.Features, known []string) []string {
	var out []string
	for _, m := range s.toolMentions(r, f) {
		// What follows the colon of a rule is what a call is about.
		name, _, _ := strings.Cut(m.pattern, ":")
		if name = strings.TrimSpace(name); s.matchesTool(name, known) {
			continue
		}
		hint := nearest.Hint(name, known)
		if hint == "" && s.Options.WithoutPlugins {
			continue // it may be the tool of a plugin
		}
		out = append(out, fmt.Sprintf("%s %q, which matches no tool%s", m.says, m.pattern, hint))
	}
	return out
}

// mayBeServed reports whether a pattern may be meant for the tools of a configured MCP server, which come and go.
func (s Source) mayBeServed(pattern string) bool {
	head, _, _ := strings.Cut(pattern, "*")
	for name := range s.Config.MCPServers {
		if prefix := MCPPrefix + name + "__"; strings.HasPrefix(head, prefix) || strings.HasPrefix(prefix, head) && head != pattern {
			return true
		}
	}
	return false
}

func (s Source) unmatchedPlugins(p config.Plugins, installed []string) []string {
	if s.Options.WithoutPlugins {
		return nil
	}
	var out []string
	for _, m := range slices.Concat(
		mentions("plugins.include names", p.Include), mentions("plugins.exclude names", p.Exclude),
		mentions("plugins.config.local has settings for", slices.Sorted(maps.Keys(p.Local))),
	) {
		matches := func(name string) bool {
			ok, err := path.Match(m.pattern, name)
			return err == nil && ok || name == m.pattern
		}
		if !slices.ContainsFunc(installed, matches) {
			out = append(out, fmt.Sprintf("%s %q, which matches no plugin%s", m.says, m.pattern, nearest.Hint(m.pattern, installed)))
		}
	}
	return out
}

// unknownSettings returns the keys of plugins.config that a plugin does not have among its defaults. A plugin that declares no
// defaults may read any key, so a key for all plugins is unknown only if each of them declares its own.
func (s Source) unknownSettings(settings config.Plugins) []string {
	if s.Options.WithoutPlugins || len(settings.Local)+len(settings.Global) == 0 {
		return nil
	}
	var out, shared []string
	open := false
	for _, p := range s.manifests(settings) {
		defaults := keysOf(p.Manifest.Config)
		open, shared = open || len(defaults) == 0, append(shared, defaults...)
		for _, key := range keysOf(settings.Local[p.Name]) {
			if len(defaults) > 0 && !slices.Contains(defaults, key) {
				out = append(out, fmt.Sprintf("plugins.config.local sets %q for plugin %q, which has no such key in its defaults%s",
					key, p.Name, nearest.Hint(key, defaults)))
			}
		}
	}
	for _, key := range keysOf(settings.Global) {
		if !open && len(shared) > 0 && !slices.Contains(shared, key) {
			out = append(out, fmt.Sprintf("plugins.config.global sets %q, which no plugin has in its defaults%s", key, nearest.Hint(key, shared)))
		}
	}
	return out
}

// manifests are those of the plugins in use.
func (s Source) manifests(settings config.Plugins) []manifest.Plugin {
	var layers [][]manifest.Plugin
	for _, root := range s.Config.PluginRoots() {
		found, err := manifest.Discover(root.Dir)
		if err != nil {
			return nil // aura does not start with such plugins
		}
		layers = append(layers, found)
	}
	active, _ := manifest.Merge(layers...)
	return slices.DeleteFunc(active, func(p manifest.Plugin) bool {
		return p.Err != nil || p.Manifest.Disabled || !settings.Selected(p.Name)
	})
}

func keysOf(settings map[string]any) []string {
	out := make([]string, 0, len(settings))
	for key := range settings {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}
