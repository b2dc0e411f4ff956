package setup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
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
// mode is the agent's own mode.
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
		if r.Mode, ok = c.Modes[mode]; !ok {
			return Role{}, fmt.Errorf("choosing mode %q: it does not exist; known modes: %s", mode, Names(c.Modes))
		}
	}
	return r, nil
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
