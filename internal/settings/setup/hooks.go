package setup

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/settings/config"
)

// HooksOf returns the shell hooks of a role, filtered by the agent first and then by the mode.
func (s Source) HooksOf(r Role, f config.Features) (hooks.Runner, error) {
	runner, err := hooks.Compile(s.Config.HookDefinitions(), hookLayers(r)...)
	if err != nil {
		return hooks.Runner{}, err
	}
	program, err := toolhost.Program()
	if err != nil {
		return hooks.Runner{}, err
	}
	runner.Executable = program.Start
	c := *s.Config
	c.Features = f
	confined := sync.OnceValue(func() Confinement { return s.Confinement(f) })
	runner.Prepare, runner.Explain = prepareHook(&c, confined), explainHook(&c, confined)
	runner.Transcript = s.Transcript
	runner.Dir, runner.Env = s.Config.Workdir, environment(s.Config.Environ, f.Sandbox.Env, s.TaskEnv)
	runner.OnSlow = func(name string) {
		if s.Emit != nil {
			s.Emit(event.Progress{Tool: "hook " + name, Text: "still running"})
		}
	}
	return runner, nil
}

// hookLayers returns the hook filters of the agent and the mode.
func hookLayers(r Role) []hooks.Filter {
	var out []hooks.Filter
	for _, l := range []struct {
		kind, name string
		by         config.HookFilter
	}{{"agent", r.Agent.Name, r.Agent.Hooks}, {"mode", r.Mode.Name, r.Mode.Hooks}} {
		out = append(out, hooks.Filter{Origin: fmt.Sprintf("%s %q", l.kind, l.name), Enabled: l.by.Enabled, Disabled: l.by.Disabled})
	}
	return out
}

// Hook describes a shell hook in a list.
type Hook struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Event       string   `json:"event"`
	Protocol    string   `json:"protocol"`
	Matcher     string   `json:"matcher"`
	Files       string   `json:"files"`
	Calls       []string `json:"calls"`
	Command     string   `json:"command"`
	Timeout     string   `json:"timeout"`
	Silent      bool     `json:"silent"`
	Depends     []string `json:"depends"`
	Inherit     []string `json:"inherit"`
	// Sandbox says what confines the hook.
	Sandbox string `json:"sandbox"`
	// Active reports whether the hook runs. Active hooks run in the order of the list. Reason says why an inactive hook does not
	// run.
	Active bool   `json:"active"`
	Reason string `json:"reason,omitempty"`
	// Order is the position among the active hooks of the same event, from 1.
	Order int `json:"order,omitempty"`
	// File is the file that configures the hook.
	File string `json:"file"`
}

// ListHooks lists the hooks of a configuration: first the hooks that a runner runs, in order, then the excluded hooks with the
// reason.
func ListHooks(c *config.Config, runner hooks.Runner) []Hook {
	out := []Hook{}
	order := map[string]int{}
	for _, e := range runner.Active() {
		order[e.Event]++
		h := listedHook(c, e)
		h.Active, h.Order = true, order[e.Event]
		out = append(out, h)
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
		Name: e.Name, Description: e.Description, Event: e.Event, Protocol: cmp.Or(e.Protocol, hooks.ProtocolAura), Files: e.Files, Command: e.Command,
		Timeout: cmp.Or(e.Timeout, hooks.DefaultTimeout).String(), Silent: e.Silent, Depends: append([]string{}, e.Depends...),
		Inherit: append([]string{}, c.Hooks[e.Name].Inherit...), File: c.Hooks[e.Name].Source.File,
		Sandbox: Rights(c, e.Unconfined, config.SandboxPaths(e.Extra)),
	}
	h.Matcher, h.Calls = c.Hooks[e.Name].Matcher, append([]string{}, c.Hooks[e.Name].Calls...)
	return h
}
