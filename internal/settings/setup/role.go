package setup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Role says which agent answers, in which mode, and what the user overrides in the agent's settings. Role is a value.
type Role struct {
	// Agent and Mode have an empty name if none is chosen.
	Agent config.Agent
	Mode  config.Mode
	// Provider, Model, System (the name of a prompt) and Think override the agent's settings if they are not empty.
	Provider, Model, System string
	Think                   llm.Think
	// Within is the mode of the session that a subagent works for. The subagent must not do what that mode forbids.
	Within config.Mode
}

// FindRole returns the role with an agent and a mode, given by their names. An empty name chooses none, except that an empty
// mode is the agent's own mode. NoMode is no mode, unless a mode has this name.
func FindRole(c *config.Config, agent, mode string) (Role, error) {
	var (
		r  Role
		ok bool
	)
	if agent != "" {
		if r.Agent, ok = c.Agents[agent]; !ok {
			return Role{}, fmt.Errorf("choosing agent %q: it does not exist; known agents: %s", agent, Names(c.Agents))
		}
	}
	if mode = cmp.Or(mode, r.Agent.Mode); mode != "" {
		if r.Mode, ok = c.Modes[mode]; !ok && mode != config.NoMode {
			return Role{}, fmt.Errorf("choosing mode %q: it does not exist; known modes: %s", mode, Names(c.Modes))
		}
	}
	return r, nil
}

// UsualMode returns the name of the mode of a session in which neither the user nor the task nor the agent names one: that of the settings. If
// the settings name none and a user works in the session, it is one that needs no question where the sandbox is enforced, and one that asks
// elsewhere.
func (s Source) UsualMode(a config.Agent) (string, error) {
	f, err := s.Config.FeaturesFor(a, config.Mode{}, s.Options.Task)
	switch {
	case err != nil:
		return "", err
	case f.Tools.Mode != "" || !s.Options.Attended:
		return s.Config.UsualModeWithin(f.Tools.Mode), nil
	case f.Sandbox.Enabled && sandbox.Support().Enabled:
		return s.Config.UsualModeWithin(config.ModeAuto), nil
	default:
		return s.Config.UsualModeWithin(config.ModeAsk), nil
	}
}

// InUsualMode returns a role in the usual mode of its agent, if that names none itself.
func (s Source) InUsualMode(r Role) (Role, error) {
	if r.Mode.Name != "" || r.Agent.Mode != "" {
		return r, nil
	}
	usual, err := s.UsualMode(r.Agent)
	if err != nil || usual == "" {
		return r, err
	}
	found, err := FindRole(s.Config, r.Agent.Name, usual)
	r.Mode = found.Mode
	return r, err
}

// Subagents returns the agents that other agents may delegate work to.
func Subagents(c *config.Config) []config.Agent {
	var out []config.Agent
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		if agent := c.Agents[name]; agent.Subagent {
			out = append(out, agent)
		}
	}
	return out
}

// Names lists the keys of a map for a message.
func Names[T any](m map[string]T) string {
	if len(m) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
