package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// writeList writes a table with one line per plugin.
func writeList(w io.Writer, list []inspect.Plugin) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no plugins are installed; put one below .aura/plugins/, or install one with aura plugins add")
		return
	}
	rows := [][]string{{"NAME", "STATUS", "CAPABILITIES", "SOURCE", "PROCESSES", "RUNTIME", "DESCRIPTION"}}
	for _, p := range list {
		rows = append(rows, []string{p.Name, statusText(p), capabilities(p), source(p), processes(p), runtimeText(p), dash(p.Description)})
	}
	table(w, rows)
}

func statusText(p inspect.Plugin) string {
	if p.ShadowedBy != "" {
		return "shadowed by " + p.ShadowedBy
	}
	if len(p.Shadows) > 0 {
		return fmt.Sprintf("%s (shadows %s)", p.Status, strings.Join(p.Shadows, ", "))
	}
	return string(p.Status)
}

func capabilities(p inspect.Plugin) string {
	switch {
	case p.Components != nil:
		return dash(strings.Join(componentsText(*p.Components), ", "))
	case p.Status == setup.StatusUnavailable:
		return "(" + p.ProbeError + ")"
	case p.ProbeError != "":
		return "(probe failed)"
	}
	var parts []string
	for _, h := range p.Hooks {
		parts = append(parts, string(h))
	}
	for _, t := range p.Tools {
		text := "tool " + t.Name
		if !t.Available {
			text += " (unavailable)"
		}
		parts = append(parts, text)
	}
	for _, c := range p.Commands {
		parts = append(parts, "/"+c.Name)
	}
	return dash(strings.Join(parts, ", "))
}

// componentsText returns what a portable plugin has, a text for each kind.
func componentsText(c manifest.Components) []string {
	var out []string
	for _, part := range []struct {
		what  string
		names []string
	}{{"skills", c.Skills}, {"MCP servers", c.Servers}, {"shell hooks", c.Hooks}, {"commands", c.Commands}, {"agents", c.Agents}} {
		if len(part.names) > 0 {
			out = append(out, part.what+" "+strings.Join(part.names, ", "))
		}
	}
	return out
}

func source(p inspect.Plugin) string {
	if p.Origin == nil {
		return string(p.Tier)
	}
	text := p.Origin.URL
	if p.Origin.Ref != "" {
		text += "@" + p.Origin.Ref
	}
	if signer, _, signed := strings.Cut(p.SignedBy, ", SHA256:"); signed {
		text += ", signed by " + signer
		if p.Home.Kind == config.HomeProject {
			text += inspect.ByProject
		}
	}
	if p.Index != "" {
		text += ", from " + p.Index
	}
	return text
}

func processes(p inspect.Plugin) string {
	var parts []string
	for _, h := range p.Processes {
		parts = append(parts, fmt.Sprintf("%s (pid %s)", h.State, count(int64(h.Pid))))
	}
	return dash(strings.Join(parts, ", "))
}

// runtimeText returns what runs the plugin. The state of a compiled program is shown only if the settings or the plugin ask for one.
func runtimeText(p inspect.Plugin) string {
	switch g := p.Go; {
	case g == nil, !g.Permitted && g.Asked != manifest.GoRuntimeNative:
		return string(p.Runtime)
	case !g.Permitted:
		return "go (native, which is not permitted)"
	case g.Build == nil:
		return fmt.Sprintf("go (%s)", g.Runs)
	default:
		return fmt.Sprintf("go (%s, build %s)", g.Runs, g.Build.State)
	}
}

// writeDetails writes everything about one plugin, one line per fact.
func writeDetails(w io.Writer, p inspect.Plugin) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-13s %s\n", name+":", indent(clean(fmt.Sprintf(format, args...))))
	}
	line("Name", "%s", p.Name)
	line("Description", "%s", dash(p.Description))
	line("Status", "%s", statusText(p))
	line("Directory", "%s", p.Dir)
	line("Runtime", "%s", runtimeText(p))
	if p.Go != nil && p.Go.Build != nil && p.Go.Build.Reason != "" {
		line("Build", "%s: %s", p.Go.Build.State, p.Go.Build.Reason)
	}
	line("Tier", "%s", p.Tier)
	if p.Runtime == manifest.RuntimePortable {
		writePortable(line, p)
		return
	}
	writeRules(line, p)
	writeOrigin(line, p)
	writeMachineRules(line, p)
	writeExports(line, p)
	line("Files", "%s", dash(strings.Join(p.Files, ", ")))
	writeProcesses(w, line, p)
}

// writePortable writes what a portable plugin has. No process runs it.
func writePortable(line liner, p inspect.Plugin) {
	writeOrigin(line, p)
	if p.ProbeError != "" {
		line("Not used", "%s", p.ProbeError)
	}
	if c := p.Components; c != nil {
		for _, part := range []struct {
			what  string
			names []string
		}{{"Skills", c.Skills}, {"MCP servers", c.Servers}, {"Shell hooks", c.Hooks}, {"Commands", c.Commands}, {"Agents", c.Agents}} {
			line(part.what, "%s", dash(strings.Join(part.names, ", ")))
		}
	}
	for _, text := range p.Warnings {
		line("Warning", "%s", text)
	}
	line("Requested", "%s", asked(p.Requested))
	line("Data", "%s", dash(p.Data))
	line("Files", "%s", dash(strings.Join(p.Files, ", ")))
}

type liner func(name, format string, args ...any)

func writeRules(line liner, p inspect.Plugin) {
	line("Condition", "%s", dash(p.Condition))
	line("Once", "%t", p.Once)
	env := "none"
	if len(p.Env) > 0 {
		env = strings.Join(p.Env, ", ")
	}
	line("Env", "%s", env)
	line("Unsafe", "%t", p.Unsafe)
	line("Requested", "%s", asked(p.Requested))
	line("Granted", "%s", asked(p.Granted))
	line("Timeouts", "hooks and commands %gs, tools %gs, loading %gs", p.Timeouts.Hook, p.Timeouts.Tool, p.Timeouts.Load)
	line("On failure", "%s", manifest.OnFailure(p.OnFailure).Words())
	line("Memory limit", "%s", mebibytes(p.MemoryLimit))
}

// writeMachineRules writes the rules of the policy of the machine that apply to a plugin.
func writeMachineRules(line liner, p inspect.Plugin) {
	for _, r := range p.Rules {
		line("Policy", "%s", r)
	}
}

func writeOrigin(line liner, p inspect.Plugin) {
	if p.Origin == nil {
		line("Origin", "local (%s home)", p.Home.Kind)
		return
	}
	line("Origin", "%s ref %s commit %s", p.Origin.URL, dash(p.Origin.Ref), dash(p.Origin.Commit))
	if p.Index != "" {
		line("Index", "%s", p.Index)
	}
	if p.SignedBy != "" {
		line("Signed by", "%s", p.SignedBy)
	}
}

func writeExports(line liner, p inspect.Plugin) {
	if p.ProbeError != "" {
		line("Probe", "(failed: %s)", p.ProbeError)
	}
	var hooks []string
	for _, h := range p.Hooks {
		hooks = append(hooks, string(h))
	}
	line("Hooks", "%s", dash(strings.Join(hooks, ", ")))
	if len(p.Tools) == 0 {
		line("Tool", "-")
	}
	for _, t := range p.Tools {
		approval := ""
		if t.RequiresApproval {
			approval = ", requires approval"
		}
		line("Tool", "%s: %s (parallel %t, sandboxable %t, available %t, opt-in %t, override %t%s)", t.Name, t.Description,
			t.Parallel, t.Sandboxable, t.Available, p.OptIn, p.Override, approval)
	}
	if len(p.Commands) == 0 {
		line("Command", "-")
	}
	for _, c := range p.Commands {
		line("Command", "/%s: %s (forward %t, silent %t)", c.Name, c.Description, c.Forward, c.Silent)
	}
	if len(p.Listens) > 0 {
		line("Listens to", "%s", strings.Join(p.Listens, ", "))
	}
	if len(p.Emits) > 0 {
		line("Emits", "%s", strings.Join(p.Emits, ", "))
	}
	if p.SystemPrompt != "" {
		line("System prompt", "%s", oneLine(p.SystemPrompt, resultLimit))
	}
	for _, warning := range p.Warnings {
		line("Warning", "%s", warning)
	}
	switch {
	case p.Runtime == manifest.RuntimePython:
	case p.SDKVersion == "" && p.SDKVendored:
		line("SDK Version", "vendored, but its version cannot be read (host has %s)", p.HostSDK)
	case p.SDKVersion == "":
		line("SDK Version", "not vendored (host has %s)", p.HostSDK)
	case p.SDKCompatible:
		line("SDK Version", "%s (compatible)", p.SDKVersion)
	default:
		line("SDK Version", "%s (INCOMPATIBLE: host has %s)", p.SDKVersion, p.HostSDK)
	}
}

func writeProcesses(w io.Writer, line liner, p inspect.Plugin) {
	line("Log", "%s", p.Log)
	if p.LoadMillis > 0 {
		line("Started in", "%.0f ms (no session runs it, so it was started to look at it and stopped again)", p.LoadMillis)
	}
	if len(p.Processes) == 0 {
		line("Processes", "none")
		return
	}
	fmt.Fprintln(w, "Processes:")
	rows := [][]string{{"SESSION", "UPTIME", "STATE", "PID", "CALLS", "ERRORS", "TIMEOUTS", "RESTARTS", "P50", "P99", "MEMORY", "CPU", "LAST EXIT"}}
	for _, h := range p.Processes {
		rows = append(rows, append([]string{dash(h.Session), fmt.Sprintf("%.1fs", h.Uptime)}, healthCells(h)...))
	}
	indented(w, "  ", rows)
	for _, h := range p.Processes {
		if e := h.Events; e != (host.EventCounts{}) {
			line("Events", "%s: %d emitted, %d delivered, %d failed, %d dropped, %d waiting", dash(h.Session), e.Emitted, e.Delivered, e.Failed, e.Dropped, e.Waiting)
		}
		if h.ChunksDropped > 0 {
			line("Stream", "%s: %d chunks dropped, because the plugin was too slow", dash(h.Session), h.ChunksDropped)
		}
	}
	writeSandbox(line, p.Processes)
}

// writeSandbox reports how the processes are confined, and what the confinement does not cover.
func writeSandbox(line liner, list []host.Health) {
	for _, h := range list {
		if h.Sandbox == nil || !h.Sandbox.Confined {
			line("Sandbox", "%s is not confined", dash(h.Session))
			continue
		}
		text := append([]string{dash(h.Session) + " is confined by the kernel"}, h.Sandbox.Uncovered...)
		line("Sandbox", "%s", strings.Join(text, "\nbut "))
	}
}
