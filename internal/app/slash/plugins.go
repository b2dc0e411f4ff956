package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// pluginCommands returns the plugins of a session.
type pluginCommands func() []*host.Plugin

// PluginCommands returns the command about the plugins of a session, which list returns.
func PluginCommands(list func() []*host.Plugin) []command.Command {
	return []command.Command{
		own("plugins", "List the plugins' hooks by hook point and their health, or describe one plugin", pluginCommands(list).plugins, "NAME"),
	}
}

// plugins lists the hooks of all plugins, grouped by hook point, and the health of each plugin; or it describes one plugin.
func (list pluginCommands) plugins(_ context.Context, args string) (string, error) {
	if name := strings.TrimSpace(args); name != "" {
		return list.plugin(name)
	}
	var sections []string
	for _, point := range hookpoint.All() {
		var lines []string
		present := list.pluginsAt(point.Name)
		width := 0
		for _, p := range present {
			width = max(width, len(hookName(p, point.Name)))
		}
		for _, p := range present {
			lines = append(lines, hookLine(p, point.Name, width))
		}
		if len(lines) > 0 {
			sections = append(sections, fmt.Sprintf("%s:\n%s", point.Name, strings.Join(lines, "\n")))
		}
	}
	if len(sections) == 0 {
		sections = []string{"no plugin hooks are loaded"}
	}
	if all := list(); len(all) > 0 {
		sections = append(sections, "Health:\n"+healthLines(all))
	}
	return strings.Join(sections, "\n\n"), nil
}

// pluginsAt returns the plugins that have a hook at a point.
func (list pluginCommands) pluginsAt(point hookpoint.Name) []*host.Plugin {
	return slices.DeleteFunc(slices.Clone(list()), func(p *host.Plugin) bool {
		exports, _ := p.Exports()
		return !slices.Contains(exports.Hooks, point)
	})
}

func hookName(p *host.Plugin, point hookpoint.Name) string { return p.Name() + "/" + string(point) }

// hookLine describes one hook of one plugin and what decides whether the hook runs. Two spaces separate the columns; one space
// separates the items of the last column.
func hookLine(p *host.Plugin, point hookpoint.Name, width int) string {
	m := p.Spec().Manifest
	state := "enabled"
	if p.Down() != nil {
		state = "down"
	}
	var extra []string
	if !m.Condition.IsZero() {
		extra = append(extra, fmt.Sprintf("condition=%q", m.Condition.String()))
	}
	if m.Once {
		extra = append(extra, "once=true")
		if p.Fired(point) {
			extra = append(extra, "(fired)")
		}
	}
	return strings.TrimRight(fmt.Sprintf("  %-*s  %s  %s", width, hookName(p, point), state, strings.Join(extra, " ")), " ")
}

// healthLines returns a line about each plugin.
func healthLines(list []*host.Plugin) string {
	width, states := 0, 0
	all := make([]host.Health, len(list))
	for i, p := range list {
		all[i] = p.Health()
		width, states = max(width, len(p.Name())), max(states, len(all[i].State))
	}
	var lines []string
	for i, p := range list {
		h := all[i]
		lines = append(lines, fmt.Sprintf("  %-*s  %-*s  calls %d, errors %d, p50 %s, restarts %d", width, p.Name(), states, h.State, h.Calls, h.Errors, micros(h.P50), h.Restarts))
	}
	return strings.Join(lines, "\n")
}

// micros formats a number of microseconds.
func micros(us int64) string {
	if us == 0 {
		return "-"
	}
	return (time.Duration(us) * time.Microsecond).String()
}

// runtimeText returns what runs a plugin, and the state of its compiled program.
func runtimeText(spec host.Spec, h host.Health) string {
	text := string(cmp.Or(spec.Runtime, manifest.RuntimeGo))
	if h.Build == nil {
		return text
	}
	text += fmt.Sprintf(" (%s, build %s)", h.Runtime, h.Build.State)
	if h.Build.Reason != "" {
		text += ": " + h.Build.Reason
	}
	return text
}

// plugin describes one plugin of the session.
func (list pluginCommands) plugin(name string) (string, error) {
	all := list()
	i := slices.IndexFunc(all, func(p *host.Plugin) bool { return p.Name() == name })
	if i < 0 {
		return "", fmt.Errorf("describing plugin %q: it does not run in this session; /plugins lists those that do, and 'aura plugins' all", name)
	}
	p := all[i]
	spec, h := p.Spec(), p.Health()
	exports, _ := p.Exports()
	var hooks, tools, names []string
	for _, point := range exports.Hooks {
		fired := ""
		if spec.Manifest.Once && p.Fired(point) {
			fired = " (fired)"
		}
		hooks = append(hooks, string(point)+fired)
	}
	for _, t := range exports.Tools {
		tools = append(tools, t.Schema.Name+toolNotes(t.Available, t.RequiresApproval))
	}
	for _, cmd := range exports.Commands {
		names = append(names, "/"+cmd.Name)
	}
	rows := [][2]string{
		{"name", name},
		{"description", spec.Manifest.Description},
		{"directory", spec.Dir},
		{"runtime", runtimeText(spec, h)},
		{"state", processText(h)},
		{"calls", fmt.Sprintf("%d, errors %d, timeouts %d, p50 %s, p99 %s", h.Calls, h.Errors, h.Timeouts, micros(h.P50), micros(h.P99))},
		{"restarts", fmt.Sprint(h.Restarts)},
		{"last exit", strings.Join(strings.Fields(h.LastExit), " ")},
		{"condition", spec.Manifest.Condition.String()},
		{"once", fmt.Sprint(spec.Manifest.Once)},
		{"on failure", spec.Manifest.OnFailure.Words()},
		{"env", strings.Join(spec.Manifest.Env, ", ")},
		{"unsafe", fmt.Sprint(spec.Unsafe)},
		{"hooks", strings.Join(hooks, ", ")},
		{"tools", strings.Join(tools, ", ")},
		{"commands", strings.Join(names, ", ")},
		{"listens to", strings.Join(exports.Listens, ", ")},
		{"sandbox", confinedText(h)},
		{"log", spec.LogFile},
	}
	if err := p.Down(); err != nil {
		rows = append(rows, [2]string{"down", err.Error()})
	}
	return aligned(rows), nil
}

func toolNotes(available, approval bool) string {
	switch {
	case !available:
		return " (not available)"
	case approval:
		return " (requires approval)"
	default:
		return ""
	}
}

// processText describes the process of a plugin.
func processText(h host.Health) string {
	if h.Pid == 0 {
		return string(h.State)
	}
	up := time.Duration(h.Uptime * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s, pid %d, up %s, %.1f MB", h.State, h.Pid, up, float64(h.MemoryBytes)/1e6)
}

// confinedText says whether the process of a plugin is confined, and what the sandbox does not cover.
func confinedText(h host.Health) string {
	switch {
	case h.Pid == 0:
		return ""
	case h.Sandbox == nil || !h.Sandbox.Confined:
		return "not confined"
	default:
		return strings.Join(append([]string{"confined by the kernel"}, h.Sandbox.Uncovered...), ", but ")
	}
}

// aligned formats pairs in their order. It omits pairs without a value.
func aligned(rows [][2]string) string {
	width := 0
	for _, row := range rows {
		if row[1] != "" {
			width = max(width, len(row[0]))
		}
	}
	var lines []string
	for _, row := range rows {
		if row[1] != "" {
			lines = append(lines, fmt.Sprintf("%-*s  %s", width, row[0], row[1]))
		}
	}
	return strings.Join(lines, "\n")
}
