package gate

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/trust"
)

// inventory collects what the files of a project request. It reads the same values that a session uses to start things, and
// starts nothing.
type inventory struct {
	// c is the configuration as it is written. run is the same configuration with its variables expanded; its values are secrets
	// and are not shown. own is the configuration of the user alone.
	c, run, own *config.Config
	found       config.Found
	// optIn reports whether a plugin of the user's is opt-in. Its tools are not known unless it is started.
	optIn bool
	list  []trust.Request
}

// requestsOf lists everything that the files of a project request beyond text.
func requestsOf(c, run, own *config.Config, found config.Found) ([]trust.Request, error) {
	i := inventory{c: c, run: run, own: own, found: found}
	if err := i.plugins(); err != nil {
		return nil, err
	}
	i.hooks()
	i.servers()
	i.conditions()
	i.tasks()
	i.providers()
	i.variables()
	i.envFile()
	i.settings()
	i.replaced()
	i.chosen()
	trust.Sort(i.list)
	return i.list, nil
}

// of reports whether a source belongs to the project.
func (i *inventory) of(s config.Source) bool { return i.found.Owns(s.Home) }

func (i *inventory) add(kind trust.Kind, name, file string, line int, format string, args ...any) {
	i.list = append(i.list, trust.Request{Kind: kind, Name: name, File: file, Line: line, Text: fmt.Sprintf(format, args...)})
}

// line returns the line that declares an entity of the project.
func (i *inventory) line(kind, name string) int {
	for _, p := range i.c.Places(kind, name) {
		if i.of(p.Source) {
			return p.Line
		}
	}
	return 0
}

// plugins lists the plugins and extensions of the project. It skips plugin directories outside the project, whose contents are
// unknown; the setting that names such a directory is listed instead.
func (i *inventory) plugins() error {
	mine, err := i.ownPlugins()
	if err != nil {
		return err
	}
	for _, root := range i.run.Roots() {
		if !i.of(config.Source{Home: root.Home}) || !files.Within(i.found.Base, root.Dir) {
			continue
		}
		list, err := setup.Discover(root)
		if err != nil {
			return err
		}
		for _, p := range list {
			i.plugin(p, mine[p.Name])
		}
	}
	return nil
}

// ownPlugins returns the directories of the user's own plugins and extensions, by name, and sets optIn.
func (i *inventory) ownPlugins() (map[string]string, error) {
	out := map[string]string{}
	for _, root := range i.own.Roots() {
		list, err := setup.Discover(root)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			out[p.Name] = p.Dir
			i.optIn = i.optIn || p.Manifest.OptIn
		}
	}
	return out, nil
}

// plugin lists one plugin or extension. mine is the directory of the user's plugin that it replaces; empty if there is none.
func (i *inventory) plugin(p manifest.Plugin, mine string) {
	if p.Portable() {
		// What it contains is listed as the same in a home is.
		if mine != "" {
			i.add(trust.KindPlugin, p.Name, filepath.Join(p.Dir, portable.FileName), 0, "takes the place of yours in %s", mine)
		}
		return
	}
	kind, file, text := trust.KindPlugin, filepath.Join(p.Dir, manifest.FileName), "runs Go code at start and in every session"
	if p.Python() {
		kind, file, text = trust.KindExtension, p.Dir, "runs Python code in every session"
	}
	if p.Manifest.Disabled {
		text = "is disabled; a plugin of yours with this name is not used either"
	}
	if mine != "" {
		text += "; takes the place of yours in " + mine
	}
	asks := manifest.Ask(p)
	asks.Commands = nil // each is a request of its own below
	if list := asks.List(); len(list) > 0 {
		text += "; asks for " + strings.Join(list, ", ")
	}
	i.add(kind, p.Name, file, 0, "%s", text)
	i.condition("plugin "+p.Name, file, 0, p.Manifest.Condition)
}

func (i *inventory) hooks() {
	for _, name := range slices.Sorted(maps.Keys(i.c.Hooks)) {
		h := i.c.Hooks[name]
		text := fmt.Sprintf("runs in your shell, %s, at %s: %s", i.rights(h.Unconfined, h.Extra, ""), cmp.Or(h.Event, "-"), h.Command)
		switch {
		case !i.of(h.Source):
			continue
		case h.Disabled && i.varies(""):
			text = "is disabled, but " + canChange + ": " + text
		case h.Disabled:
			text = "is disabled; a hook of yours with this name does not run either"
		}
		i.add(trust.KindHook, name, h.Source.File, i.line("hook", name), "%s", text)
	}
}

// rights says what confines a hook or a server. It does not promise more than the variables of a file; an empty name means any file.
func (i *inventory) rights(unconfined bool, extra hooks.Extra, file string) string {
	text := setup.Rights(i.run, unconfined, config.SandboxPaths(extra))
	if i.varies(file) {
		text += ", but " + canChange
	}
	return text
}

const canChange = "variables can change that"

// varies reports whether a file of the project contains a value that variables make a number, a boolean or a duration. Anything
// that such values decide may be otherwise in another environment. An empty name means any file. It does not matter which key has
// the value, because an alias can repeat it under another key.
func (i *inventory) varies(file string) bool {
	return slices.ContainsFunc(i.c.References, func(r config.Reference) bool {
		return r.Plain != "" && i.of(r.Source) && (file == "" || r.File == file)
	})
}

func (i *inventory) servers() {
	for _, name := range slices.Sorted(maps.Keys(i.c.MCPServers)) {
		s := i.c.MCPServers[name]
		if !i.of(s.Source) || s.Disabled && !i.varies(s.Source.File) {
			continue
		}
		text := fmt.Sprintf("starts a program, %s: %s; sets variables: %s", i.rights(s.Unconfined(), hooks.Extra(s.Extra), s.Source.File),
			strings.Join(append([]string{s.Command}, s.Args...), " "), keys(s.Env))
		if s.Type == config.MCPHTTP {
			text = fmt.Sprintf("connects to %s; sends headers: %s", s.URL, keys(s.Headers))
		}
		if s.Disabled {
			text += "; is disabled, but " + canChange
		}
		if len(s.Agents) > 0 {
			text += "; for agent " + strings.Join(s.Agents, ", ")
		}
		i.add(trust.KindMCP, name, s.Source.File, i.line("mcp server", name), "%s", text)
	}
}

func keys(of map[string]string) string {
	return cmp.Or(strings.Join(slices.Sorted(maps.Keys(of)), ", "), "-")
}

// conditions lists the conditions of tools and MCP servers. The conditions of plugins are listed together with the plugins.
func (i *inventory) conditions() {
	for _, name := range slices.Sorted(maps.Keys(i.c.ToolDefinitions)) {
		if t := i.c.ToolDefinitions[name]; i.of(t.Source) {
			line := i.line("tool", name)
			i.condition("tool "+name, t.Source.File, line, t.Condition)
			i.hidden("tool "+name, t.Source.File, line, t.Condition, i.run.ToolDefinitions[name].Condition)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.c.MCPServers)) {
		if s := i.c.MCPServers[name]; i.of(s.Source) {
			line := i.line("mcp server", name)
			i.condition("mcp "+name, s.Source.File, line, s.Condition)
			i.hidden("mcp "+name, s.Source.File, line, s.Condition, i.run.MCPServers[name].Condition)
		}
	}
}

func (i *inventory) condition(of, file string, line int, c condition.Expr) {
	for _, command := range c.Commands() {
		i.add(trust.KindCondition, of, file, line, "runs in your shell, %s: %s", setup.Rights(i.run, false, config.SandboxPaths{}), command)
	}
}

// hidden lists a condition whose commands are in the values of variables. The values are not shown.
func (i *inventory) hidden(of, file string, line int, written, run condition.Expr) {
	if len(run.Commands()) > len(written.Commands()) {
		i.add(trust.KindCondition, of, file, line, "runs in your shell, %s: what the variables hold in %s", setup.Rights(i.run, false, config.SandboxPaths{}), written)
	}
}

func (i *inventory) tasks() {
	for _, name := range slices.Sorted(maps.Keys(i.c.Tasks)) {
		t := i.c.Tasks[name]
		if !i.of(t.Source) {
			continue
		}
		text := fmt.Sprintf("runs %d prompts", len(t.Commands))
		if lines := slices.Concat(t.Pre, t.Post); len(lines) > 0 {
			text += "; runs in your shell, not confined: " + strings.Join(lines, " && ")
		}
		if len(t.Env) > 0 {
			text += "; sets variables " + keys(t.Env)
		}
		if len(t.EnvFile) > 0 {
			text += "; reads variables from " + strings.Join(t.EnvFile, ", ")
		}
		if t.Workdir != "" {
			text += "; works in " + t.Workdir
		}
		i.add(trust.KindTask, name, t.Source.File, i.line("task", name), "%s", text)
	}
}

func (i *inventory) providers() {
	for _, name := range slices.Sorted(maps.Keys(i.c.Providers)) {
		p := i.c.Providers[name]
		if !i.of(p.Source) {
			continue
		}
		text := "sends the conversation to " + p.URL
		switch {
		case p.Type == config.ProviderScript:
			text = "answers in the place of a model, and so calls tools: " + cmp.Or(p.File, "-")
		case p.URLFrom != "":
			text += " (" + p.URLFrom + ")"
		case p.URL == "":
			text = "sends the conversation to " + string(p.Type)
		}
		if p.Token != "" {
			text += "; sends a token"
			if strings.Contains(p.Token, "${") {
				text += ": " + p.Token
			}
		}
		if p.Record != "" {
			text += "; writes " + p.Record
		}
		i.add(trust.KindProvider, name, p.Source.File, i.line("provider", name), "%s", text)
	}
}

// variables lists each variable once per file.
func (i *inventory) variables() {
	seen := map[[2]string]bool{}
	for _, r := range i.c.References {
		key := [2]string{r.Name, r.File}
		if i.of(r.Source) && !seen[key] {
			seen[key] = true
			i.add(trust.KindVariable, r.Name, r.File, r.Line, "is read from your environment")
		}
	}
}

func (i *inventory) envFile() {
	file := i.found.EnvFile
	if file == "" {
		return
	}
	set, err := config.EnvFileNames(file)
	text := cmp.Or(strings.Join(set, ", "), "-")
	if err != nil {
		text = err.Error()
	}
	i.add(trust.KindEnvFile, filepath.Base(file), file, 0, "sets variables for MCP servers and plugins, and for commands and shell hooks if sandbox.env names them: %s", text)
}
