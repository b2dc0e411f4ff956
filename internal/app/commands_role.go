package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// roleCommands change who answers, and how.
func (a *App) roleCommands() []command.Command {
	return []command.Command{
		own("agent", "Let another agent answer, the next one, or list them", a.cmdAgent, "NAME|--next"),
		own("mode", "Change the mode, leave it, or list them", a.cmdMode, "NAME|none"),
		own("model", "Use another model, or say which is used", a.cmdModel, "[PROVIDER/]MODEL"),
		own("think", "Say how much the model thinks", a.cmdThink, "off|on|low|medium|high"),
		own("auto", "Go on by itself while todos are open, or stop that", a.cmdAuto, "on|off"),
		own("done", "Work until the agent calls Done, or stop that", a.cmdDone, "on|off"),
	}
}

func (a *App) cmdAgent(ctx context.Context, args string) (string, error) {
	name, reason := strings.TrimSpace(args), sdk.SwitchReasonUser
	if name == "" {
		return a.agentList(), nil
	}
	if name == "--next" {
		next, err := a.nextAgent()
		if err != nil {
			return "", err
		}
		name, reason = next, sdk.SwitchReasonCycle
	}
	r, err := findRole(a.cfg, name, "")
	if err != nil {
		return "", err
	}
	// A mode that the user chose stays; one that came with the last agent goes with it.
	if r.mode.Name == "" && a.role.mode.Name != a.role.agent.Mode {
		r.mode = a.role.mode
	}
	r.think, r.system = a.role.think, a.opts.System
	if err := a.become(ctx, r, reason); err != nil {
		return "", err
	}
	return "now answers: " + a.described(), nil
}

// nextAgent is the agent behind the current one in the order of their names, hidden ones and subagents left out.
func (a *App) nextAgent() (string, error) {
	var cycle []string
	for _, name := range slices.Sorted(maps.Keys(a.cfg.Agents)) {
		if agent := a.cfg.Agents[name]; !agent.Hide && !agent.Subagent {
			cycle = append(cycle, name)
		}
	}
	if len(cycle) == 0 {
		return "", fmt.Errorf("choosing the next agent: there is none; put one into %s", ".aura/config/agents/")
	}
	i := slices.Index(cycle, a.role.agent.Name)
	return cycle[(i+1)%len(cycle)], nil
}

func (a *App) agentList() string {
	rows := map[string]string{}
	for name, agent := range a.cfg.Agents {
		if !agent.Hide {
			rows[mark(name, name == a.talk.Persona().Agent)] = agent.Description
		}
	}
	return listed(rows, "no agents are configured")
}

// mark shows which of several is the current one.
func mark(name string, current bool) string {
	if current {
		return name + " (current)"
	}
	return name
}

func (a *App) cmdMode(ctx context.Context, args string) (string, error) {
	name := strings.TrimSpace(args)
	if name == "" {
		rows := map[string]string{}
		for name, m := range a.cfg.Modes {
			if !m.Hide {
				rows[mark(name, name == a.role.mode.Name)] = m.Description
			}
		}
		return listed(rows, "no modes are configured"), nil
	}
	r := a.role
	r.mode = config.Mode{}
	if name != "none" {
		found, err := findRole(a.cfg, a.role.agent.Name, name)
		if err != nil {
			return "", err
		}
		r.mode = found.mode
	}
	if err := a.become(ctx, r, sdk.SwitchReasonUser); err != nil {
		return "", err
	}
	return "now answers: " + a.described(), nil
}

func (a *App) cmdModel(ctx context.Context, args string) (string, error) {
	name := strings.TrimSpace(args)
	if name == "" {
		return a.described(), nil
	}
	r := a.role
	provider, model, both := strings.Cut(name, "/")
	if _, known := a.cfg.Providers[provider]; both && known {
		r.provider, r.model = provider, model
	} else {
		r.model = name
	}
	if err := a.become(ctx, r, sdk.SwitchReasonUser); err != nil {
		return "", err
	}
	return "now answers: " + a.described(), nil
}

// ParseThink reads an amount of thinking.
func ParseThink(word string) (llm.Think, error) {
	switch t := llm.Think(word); t {
	case "", llm.ThinkOff, llm.ThinkOn, llm.ThinkLow, llm.ThinkMedium, llm.ThinkHigh:
		return t, nil
	case "true":
		return llm.ThinkOn, nil
	case "false":
		return llm.ThinkOff, nil
	default:
		return "", fmt.Errorf("reading %q as an amount of thinking: say off, on, low, medium or high", word)
	}
}

func (a *App) cmdThink(ctx context.Context, args string) (string, error) {
	amount, err := ParseThink(strings.TrimSpace(args))
	if err != nil {
		return "", err
	}
	if amount != "" {
		a.role.think = amount
		if err := a.renew(ctx); err != nil {
			return "", err
		}
	}
	return "thinking: " + a.talk.Context().ThinkMode, nil
}

func (a *App) cmdAuto(_ context.Context, args string) (string, error) {
	on, err := toggled(a.talk.Context().Auto, args)
	if err != nil {
		return "", err
	}
	a.talk.SetAuto(on)
	return "auto mode is " + onOff(on), nil
}

func (a *App) cmdDone(_ context.Context, args string) (string, error) {
	on, err := toggled(a.talk.Context().DoneActive, args)
	if err != nil {
		return "", err
	}
	a.talk.SetDone(on)
	return "done mode is " + onOff(on), nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// listed shows pairs in the order of their names.
func listed(rows map[string]string, none string) string {
	if len(rows) == 0 {
		return none
	}
	width := 0
	for name := range rows {
		width = max(width, len(name))
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %s", width, name, strings.Join(strings.Fields(rows[name]), " ")), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
