package setup

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
)

// Unmatched reports the names in filters, policies, hooks and settings of plugins that match nothing. A rule that names no tool
// protects nothing, and its author should know. tools holds the tools that were found. Unmatched starts nothing.
func (s Source) Unmatched(r Role, f config.Features, tools []tool.Tool, plugins []host.View, installed []string) []string {
	known := toolNames(tools, plugins)
	return slices.Concat(
		s.unmatchedTools(r, f, known), s.hiddenTools(r, f, tools), s.unmatchedHooks(r), s.unmatchedMatchers(r, f, known), s.unmatchedDefinitions(known),
		s.unmatchedPlugins(f.Plugins, installed), s.unknownSettings(f.Plugins))
}

// unmatchedHooks reports the hook filters that match no hook.
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

// unmatchedMatchers reports the hooks that never run because their matchers match no tool, or their patterns no file. A hook in the user's home may be
// meant for a tool of other projects, like a definition of a tool. Therefore only matchers that resemble the name of a tool are
// reported.
func (s Source) unmatchedMatchers(r Role, f config.Features, known []string) []string {
	runner, err := s.HooksOf(r, f)
	if err != nil {
		return nil // aura does not start with such hooks
	}
	var out []string
	for _, e := range runner.Active() {
		if !hooks.AboutTool(e.Event) {
			continue
		}
		if strings.ContainsRune(e.Files, '/') {
			out = append(out, fmt.Sprintf("hook %q never runs: files %q contains a slash, but the pattern is compared with the names of files without their directories; "+
				"write %q, and let the command look at the directory", e.Name, e.Files, path.Base(e.Files)))
		}
		if e.Matcher == nil || slices.ContainsFunc(known, func(name string) bool { return e.Matches(name) }) {
			continue
		}
		if near := nearest.Hint(strings.Trim(e.Matcher.String(), "^$()"), known); near != "" {
			out = append(out, fmt.Sprintf("hook %q never runs: its matcher %q matches no tool%s", e.Name, e.Matcher, near))
		}
	}
	return out
}

// unmatchedDefinitions reports the definitions in config/tools that match no tool but resemble the name of one.
func (s Source) unmatchedDefinitions(known []string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Config.ToolDefinitions)) {
		if near := nearest.Hint(name, known); near != "" && !s.matchesTool(name, known) {
			out = append(out, fmt.Sprintf("config/tools describes %q, which is no tool%s", name, near))
		}
	}
	return out
}

// toolNames returns the names of the tools, including tools that only some sessions have.
func toolNames(tools []tool.Tool, plugins []host.View) []string {
	known := tool.Conditional()
	for _, t := range tools {
		known = append(known, t.Definition().Name)
	}
	for _, p := range plugins {
		exports, _ := p.Exports()
		for _, t := range exports.Tools {
			known = append(known, t.Schema.Name) // even if the tool is not available now
		}
	}
	return known
}

// Told remembers the texts that were reported in a session, so that each is reported once. It holds a limited number of texts;
// once it is full, nothing more is reported. The zero value is ready for use. Told may be used from several goroutines.
type Told struct {
	mu    sync.Mutex
	texts map[string]bool
}

// maxTold is the largest number of remembered texts.
const maxTold = 100

// first reports whether a text is new, and remembers it.
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

// disabled returns a function that reports a pattern by which a plugin disables tools if the pattern matches no tool. Each
// pattern is reported once per session.
func (s Source) disabled(known []string) func(plugin, pattern string) {
	if s.Told == nil {
		return nil
	}
	return func(plugin, pattern string) {
		if s.matchesTool(pattern, known) {
			return
		}
		shown := limit.Shorten(pattern, maxPattern)
		text := fmt.Sprintf("plugin %q disables %q, which matches no tool%s", plugin, shown, nearest.Hint(shown, known))
		if s.Told.first(text) {
			s.notice(plugin, text)
		}
	}
}

// reportDisabled gives report the patterns that the sources of the plugins show, before a plugin returns one. report may be nil.
func reportDisabled(plugins []host.View, report func(plugin, pattern string)) {
	if report == nil {
		return
	}
	for _, p := range plugins {
		exports, _ := p.Exports()
		for _, pattern := range exports.Disables {
			report(p.Name(), pattern)
		}
	}
}

// matchesTool reports whether a pattern matches a tool, or may match a tool of an MCP server.
func (s Source) matchesTool(pattern string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool { return tool.Match([]string{pattern}, k) }) || s.mayBeServed(pattern)
}

// MCPPrefix is the prefix of the names of all tools of MCP servers.
const MCPPrefix = "mcp__"

// mention is a pattern of names, and the words for where it appears, such as `agent "a" enables`.
type mention struct{ says, pattern string }

func mentions(says string, patterns []string) []mention {
	out := make([]mention, 0, len(patterns))
	for _, p := range patterns {
		out = append(out, mention{says, p})
	}
	return out
}

// toolMentions returns all patterns of tool names in the active settings.
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
		// The text after the colon of a rule matches the arguments of a call, not the tool.
		name, _, _ := strings.Cut(m.pattern, ":")
		if name = strings.TrimSpace(name); s.matchesTool(name, known) {
			continue
		}
		hint := nearest.Hint(name, known)
		if hint == "" && s.Options.WithoutPlugins {
			continue // it may be a plugin's tool
		}
		out = append(out, fmt.Sprintf("%s %q, which matches no tool%s", m.says, m.pattern, hint))
	}
	return out
}

// hiddenTools reports filters that match only opt-in tools, which must be named exactly, tools that replace others and that nobody
// has because they are opt-in, and tools that replace the same tool.
func (s Source) hiddenTools(r Role, f config.Features, tools []tool.Tool) []string {
	var out, named []string
	layers := s.layers(r, f)
	for _, l := range layers {
		named = append(named, l.Enabled...)
	}
	hidden := func(d tool.Definition) bool {
		return (d.OptIn || tool.Match(f.Tools.OptIn, d.Name)) && !slices.Contains(named, d.Name)
	}
	overriding := map[string]string{}
	for _, t := range tools {
		d := t.Definition()
		if !d.Override {
			continue
		}
		if first, twice := overriding[d.Name]; twice {
			out = append(out, fmt.Sprintf("%s and %s both override the tool %s; that of %s is used", first, d.From(), d.Name, d.From()))
		}
		overriding[d.Name] = d.From()
		if hidden(d) {
			out = append(out, fmt.Sprintf("%s overrides the tool %s and is opt-in, so no agent has %s: name it in a filter that enables tools, or remove opt_in", d.From(), d.Name, d.Name))
		}
	}
	for _, l := range s.namedLayers(r, f) {
		for _, pattern := range l.by.Enabled {
			if only := onlyHidden(tools, pattern, hidden); len(only) > 0 {
				out = append(out, fmt.Sprintf("%s enables %q, which matches only opt-in tools (%s): an opt-in tool must be named exactly", l.enables, pattern, strings.Join(only, ", ")))
			}
		}
	}
	return out
}

// onlyHidden returns the names of the tools that a pattern matches if all of them are hidden, and nil otherwise.
func onlyHidden(tools []tool.Tool, pattern string, hidden func(tool.Definition) bool) []string {
	var out []string
	for _, t := range tools {
		d := t.Definition()
		if !tool.Match([]string{pattern}, d.Name) {
			continue
		}
		if !hidden(d) {
			return nil
		}
		out = append(out, d.Name)
	}
	return out
}

// mayBeServed reports whether a pattern may match a tool of a configured MCP server. The tools of a server can change at any
// time.
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
		mentions("plugins.timeouts names", slices.Sorted(maps.Keys(p.Timeouts))),
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

// unknownSettings returns the keys of plugins.config that are not among the defaults of a plugin. A plugin without defaults may
// read any key, so a key for all plugins is unknown only if every plugin declares defaults.
func (s Source) unknownSettings(settings config.Plugins) []string {
	if s.Options.WithoutPlugins || len(settings.Local)+len(settings.Global) == 0 {
		return nil
	}
	var out, shared []string
	open := false
	for _, p := range s.manifests(settings) {
		defaults := keysOf(p.Manifest.Config)
		open, shared = open || len(defaults) == 0, append(shared, defaults...)
		for _, key := range keysOf(settings.LocalFor(p.Name)) {
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

// manifests returns the manifests of the plugins in use.
func (s Source) manifests(settings config.Plugins) []manifest.Plugin {
	levels, err := levelsOf(s.Config)
	if err != nil {
		return nil // aura does not start with such plugins
	}
	var layers [][]manifest.Plugin
	for _, l := range levels {
		layers = append(layers, l.found)
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
