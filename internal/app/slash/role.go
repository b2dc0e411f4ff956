package slash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// Roles is a session whose role can be changed.
type Roles interface {
	Current
	// Choices returns the values that a command takes. It may return an error beside them.
	Choices(ctx context.Context, command string) ([]frontend.Choice, error)
	// Switch changes the role from the next prompt on. The reason is one of the SDK's reasons.
	Switch(ctx context.Context, r setup.Role, reason string) error
	// Change keeps the role and changes its settings: the user's settings, or the variables of templates.
	Change(ctx context.Context, change func(*setup.Source, *setup.Role)) error
}

type roleCommands struct{ Roles }

// RoleCommands returns the commands that change the role and its settings.
func RoleCommands(s Roles) []command.Command {
	c := roleCommands{s}
	return []command.Command{
		own("agent", "Switch to an agent or to the next one, or list them", c.agent, "NAME|--next"),
		own("mode", "Switch to a mode or to the next one, leave it, or list them", c.mode, "NAME|none|--next"),
		own("model", "Switch to a model, show the current one, or list all", c.model, "[PROVIDER/]MODEL|--list"),
		own("think", "Set how much the model thinks", c.think, "off|on|low|medium|high"),
		own("set", "Set a variable for the templates of prompts, or list them", c.set, "KEY=VALUE"),
	}
}

func (c roleCommands) agent(ctx context.Context, args string) (string, error) {
	name, reason := strings.TrimSpace(args), sdk.SwitchReasonUser
	if name == "" {
		return c.agentList(), nil
	}
	if name == "--next" {
		next, err := c.nextAgent()
		if err != nil {
			return "", err
		}
		name, reason = next, sdk.SwitchReasonCycle
	}
	r, err := setup.FindRole(c.Setup().Config, name, "")
	if err != nil {
		return "", err
	}
	// A mode that the user chose is kept. A mode that came with the previous agent is not.
	if before := c.Setup().Role; r.Agent.Mode == "" && (before.Agent.Mode == "" || before.Mode.Name != before.Agent.Mode) {
		r.Mode = before.Mode
	} else if r, err = c.Setup().InUsualMode(r); err != nil {
		return "", err
	}
	r.Think, r.System = c.Setup().Role.Think, c.Setup().Options.System
	if err := c.Switch(ctx, r, reason); err != nil {
		return "", err
	}
	return "now using " + described(c), nil
}

// nextAgent returns the agent after the current one in the order of names. It skips hidden agents and subagents.
func (c roleCommands) nextAgent() (string, error) {
	var cycle []string
	for _, name := range slices.Sorted(maps.Keys(c.Setup().Config.Agents)) {
		if agent := c.Setup().Config.Agents[name]; !agent.Hide && !agent.Subagent {
			cycle = append(cycle, name)
		}
	}
	if len(cycle) == 0 {
		return "", fmt.Errorf("choosing the next agent: there is none; put one into %s", ".aura/config/agents/")
	}
	i := slices.Index(cycle, c.Setup().Role.Agent.Name)
	return cycle[(i+1)%len(cycle)], nil
}

func (c roleCommands) agentList() string {
	rows := map[string]string{}
	for name, agent := range c.Setup().Config.Agents {
		if !agent.Hide {
			rows[mark(name, name == c.Persona().Agent)] = agent.Description
		}
	}
	return listed(rows, "no agents are configured")
}

// mark marks the current item of a list.
func mark(name string, current bool) string {
	if current {
		return name + " (current)"
	}
	return name
}

func (c roleCommands) mode(ctx context.Context, args string) (string, error) {
	name := strings.TrimSpace(args)
	if name == "" {
		return c.modeList(), nil
	}
	r := c.Setup().Role
	reason := sdk.SwitchReasonUser
	if name == "--next" {
		name, reason = c.nextMode(), sdk.SwitchReasonCycle
	}
	r.Mode = config.Mode{}
	if name != config.NoMode {
		found, err := setup.FindRole(c.Setup().Config, c.Setup().Role.Agent.Name, name)
		if err != nil {
			return "", err
		}
		r.Mode = found.Mode
	}
	if err := c.Switch(ctx, r, reason); err != nil {
		return "", err
	}
	return "now using " + described(c), nil
}

// modeList lists the modes in the order in which nextMode comes to them.
func (c roleCommands) modeList() string {
	rows := map[string]string{}
	var order []string
	for _, name := range c.Setup().Config.ModeNames() {
		row := mark(name, name == c.Setup().Role.Mode.Name)
		rows[row], order = c.Setup().Config.Modes[name].Description, append(order, row)
	}
	return listedIn(order, rows, "no modes are configured")
}

// nextMode returns the mode after the present one, or the first one if the present one is hidden or there is none.
func (c roleCommands) nextMode() string {
	cycle := c.Setup().Config.ModeNames()
	if len(cycle) == 0 {
		return config.NoMode
	}
	return cycle[(slices.Index(cycle, c.Setup().Role.Mode.Name)+1)%len(cycle)]
}

func (c roleCommands) model(ctx context.Context, args string) (string, error) {
	name := strings.TrimSpace(args)
	switch name {
	case "":
		return described(c), nil
	case "--list":
		return c.modelList(ctx)
	}
	if err := c.Switch(ctx, c.Setup().RoleWithModel(name), sdk.SwitchReasonUser); err != nil {
		return "", err
	}
	return "now using " + described(c), nil
}

// modelList lists the models of the configured providers, and the providers that cannot list theirs.
func (c roleCommands) modelList(ctx context.Context) (string, error) {
	found, err := c.Choices(ctx, "model")
	if len(found) == 0 && err != nil {
		return "", err
	}
	rows := map[string]string{}
	for _, m := range found {
		rows[mark(m.Value, m.Current)] = m.Detail
	}
	text := listed(rows, "the providers offer no models")
	if err != nil {
		text += "\n" + err.Error()
	}
	return text, nil
}

func (c roleCommands) think(ctx context.Context, args string) (string, error) {
	amount, err := llm.ParseThink(strings.TrimSpace(args))
	if err != nil {
		return "", err
	}
	if amount != "" {
		if err := c.Change(ctx, func(_ *setup.Source, r *setup.Role) { r.Think = amount }); err != nil {
			return "", err
		}
	}
	return "thinking: " + c.State().ThinkMode, nil
}

func (c roleCommands) set(ctx context.Context, args string) (string, error) {
	if strings.TrimSpace(args) == "" {
		return listed(c.Setup().Vars, "no variables are set"), nil
	}
	key, value, ok := strings.Cut(args, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return "", errors.New("setting a variable: write it as /set KEY=VALUE")
	}
	value = strings.TrimSpace(value)
	err := c.Change(ctx, func(s *setup.Source, _ *setup.Role) { s.Vars[key] = value })
	return fmt.Sprintf("%s is %q", key, value), err
}

// listed formats pairs in the order of their names. It returns none if there are no pairs.
func listed(rows map[string]string, none string) string {
	return listedIn(slices.Sorted(maps.Keys(rows)), rows, none)
}

// listedIn is listed with another order of the names.
func listedIn(order []string, rows map[string]string, none string) string {
	if len(rows) == 0 {
		return none
	}
	width := 0
	for name := range rows {
		width = max(width, len(name))
	}
	var b strings.Builder
	for _, name := range order {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %s", width, name, strings.Join(strings.Fields(rows[name]), " ")), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// described describes the current role in one line.
func described(c Current) string {
	p := c.Persona()
	var parts []string
	for _, part := range []struct{ what, name string }{
		{"agent", p.Agent}, {"mode", p.Mode}, {"provider", p.ProviderName}, {"model", c.State().ModelInfo.Name},
	} {
		if part.name != "" {
			parts = append(parts, fmt.Sprintf("%s %s", part.what, part.name))
		}
	}
	return strings.Join(parts, ", ")
}
