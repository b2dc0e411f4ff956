package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
	"github.com/idelchi/aura/sdk"
)

// hooks are the shell hooks of a role.
func (a *App) hooks(r role) (hooks.Runner, error) {
	runner, err := hookRunner(a.cfg, r, a.commandEnv())
	runner.OnSlow = func(name string) {
		a.events.send(event.Progress{Tool: "hook " + name, Text: "still running"})
	}
	return runner, err
}

// hookRunner filters the hooks of a configuration, by the agent first and then by the mode.
func hookRunner(c *config.Config, r role, env []string) (hooks.Runner, error) {
	var filters []hooks.Filter
	for _, f := range []struct {
		kind, name string
		by         config.HookFilter
	}{{"agent", r.agent.Name, r.agent.Hooks}, {"mode", r.mode.Name, r.mode.Hooks}} {
		filters = append(filters, hooks.Filter{Origin: fmt.Sprintf("%s %q", f.kind, f.name), Enabled: f.by.Enabled, Disabled: f.by.Disabled})
	}
	runner, err := hooks.Compile(c.HookDefinitions(), filters...)
	if err != nil {
		return hooks.Runner{}, err
	}
	if runner.Executable, err = sandbox.Self(); err != nil {
		return hooks.Runner{}, fmt.Errorf("finding aura itself: %w", err)
	}
	runner.Dir, runner.Env = c.Workdir, env
	return runner, nil
}

// Hook is a shell hook in a list.
type Hook struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Event       string   `json:"event"`
	Matcher     string   `json:"matcher"`
	Files       string   `json:"files"`
	Command     string   `json:"command"`
	Timeout     string   `json:"timeout"`
	Silent      bool     `json:"silent"`
	Depends     []string `json:"depends"`
	Inherit     []string `json:"inherit"`
	// Active hooks run, in the order of the list. Reason says why the others do not.
	Active bool   `json:"active"`
	Reason string `json:"reason,omitempty"`
	// Order counts the active hooks of the same event, from 1.
	Order int `json:"order,omitempty"`
	// File is where the hook is configured.
	File string `json:"file"`
}

// HookChoice says whose hooks are asked for, by names; empty ones are those that a run would use.
type HookChoice struct{ Agent, Mode string }

func (h HookChoice) runner(c *config.Config) (hooks.Runner, error) {
	if usual, ok := c.DefaultAgent(); ok && h.Agent == "" {
		h.Agent = usual.Name
	}
	r, err := findRole(c, h.Agent, h.Mode)
	if err != nil {
		return hooks.Runner{}, err
	}
	f, err := c.FeaturesFor(r.agent, r.mode, nil)
	if err != nil {
		return hooks.Runner{}, err
	}
	return hookRunner(c, r, environment(c.Environ, f.Sandbox.Env, nil))
}

// Hooks lists the hooks of a configuration: those that run, in order, and those that do not, with the reason.
func Hooks(c *config.Config, choice HookChoice) ([]Hook, error) {
	runner, err := choice.runner(c)
	if err != nil {
		return nil, err
	}
	return hookList(c, runner), nil
}

func hookList(c *config.Config, runner hooks.Runner) []Hook {
	out := []Hook{}
	for _, row := range [][]hooks.Entry{runner.Pre, runner.Post} {
		for i, e := range row {
			h := listedHook(c, e)
			h.Active, h.Order = true, i+1
			out = append(out, h)
		}
	}
	for _, e := range runner.Excluded {
		h := listedHook(c, e.Entry)
		h.Reason = e.Reason
		out = append(out, h)
	}
	return out
}

func listedHook(c *config.Config, e hooks.Entry) Hook {
	h := Hook{
		Name: e.Name, Description: e.Description, Event: e.Event, Files: e.Files, Command: e.Command,
		Timeout: cmp.Or(e.Timeout, hooks.DefaultTimeout).String(), Silent: e.Silent, Depends: append([]string{}, e.Depends...),
		Inherit: append([]string{}, c.Hooks[e.Name].Inherit...), File: c.Hooks[e.Name].Source.File,
	}
	if e.Matcher != nil {
		h.Matcher = e.Matcher.String()
	}
	return h
}

// HookTrial is a hook that is tried without a model.
type HookTrial struct {
	Name string
	// Tool, Input and Output are those of the call that the hook is told of. Output is for post hooks.
	Tool   string
	Input  json.RawMessage
	Output string
}

// HookReport is what came of it.
type HookReport struct {
	Hook string `json:"hook"`
	// Skipped says why the hook does not run for such a call; then nothing else is set.
	Skipped  string `json:"skipped,omitempty"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
	// Duration is wall-clock time.
	Duration time.Duration `json:"duration_ns"`
	Blocked  bool          `json:"blocked"`
	// Message is what the model would be told.
	Message string `json:"message"`
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
	// Error says why the hook could not be run to its end.
	Error string `json:"error,omitempty"`
}

// TryHook runs one hook as if a tool were called, in force or not.
func TryHook(ctx context.Context, c *config.Config, choice HookChoice, t HookTrial) (HookReport, error) {
	runner, err := choice.runner(c)
	if err != nil {
		return HookReport{}, err
	}
	one, ok := runner.Only(t.Name)
	if !ok {
		return HookReport{}, fmt.Errorf("running hook %q: there is none of that name; known hooks: %s", t.Name, names(c.Hooks))
	}
	entry := slices.Concat(one.Pre, one.Post)
	if len(entry) == 0 || strings.TrimSpace(entry[0].Command) == "" {
		return HookReport{}, fmt.Errorf("running hook %q: it has no command; it is there to be inherited from", t.Name)
	}
	if entry[0].Event == "" {
		return HookReport{}, fmt.Errorf("running hook %q: it has no event; it is there to be inherited from", t.Name)
	}
	input := map[string]any{}
	if len(t.Input) > 0 {
		var err error
		if input, err = tool.ParseArguments(t.Input); err != nil {
			return HookReport{}, fmt.Errorf("reading the input for hook %q: it is not a JSON object: %w", t.Name, err)
		}
	}
	declared := declaredPaths(ctx, c, t.Tool, input)
	call := hooks.Call{Tool: t.Tool, Input: input, Output: t.Output, Paths: hooks.Paths(c.Workdir, input, declared)}
	if why := entry[0].Skip(call); why != "" {
		return HookReport{Hook: t.Name, Skipped: why}, nil
	}
	do := one.RunPre
	if entry[0].Event == hooks.EventPost {
		do = one.RunPost
	}
	out, err := do(ctx, call)
	if err != nil {
		return HookReport{}, err
	}
	r := out.Reports[0]
	report := HookReport{
		Hook: r.Hook, ExitCode: r.ExitCode, TimedOut: r.TimedOut, Duration: r.Duration, Blocked: r.Blocked, Message: r.Message,
		Stdout: r.Stdout, Stderr: r.Stderr,
	}
	if r.Err != nil {
		report.Error = r.Err.Error()
	}
	return report, nil
}

// cmdHooks lists the hooks in force.
func (a *App) cmdHooks(context.Context, string) (string, error) {
	runner, err := a.hooks(a.role)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, h := range hookList(a.cfg, runner) {
		state := fmt.Sprintf("%d. %s", h.Order, h.Event)
		if !h.Active {
			state = "off: " + h.Reason
		}
		fmt.Fprintf(&b, "%-24s %s", h.Name, state)
		if h.Active && h.Matcher != "" {
			fmt.Fprintf(&b, "  matcher=%s", h.Matcher)
		}
		if h.Active && h.Files != "" {
			fmt.Fprintf(&b, "  files=%s", h.Files)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "no shell hooks are configured", nil
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// declaredPaths are the files that a built-in tool says it touches.
func declaredPaths(ctx context.Context, c *config.Config, name string, input map[string]any) sdk.ToolPaths {
	for _, t := range builtin.All(builtin.Options{Workdir: c.Workdir}) {
		p, ok := tool.As[tool.Pather](t)
		if !ok || t.Definition().Name != name {
			continue
		}
		if paths, err := p.Paths(ctx, input); err == nil {
			return paths
		}
	}
	return sdk.ToolPaths{}
}
