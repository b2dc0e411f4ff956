package setup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
)

// Role is who answers, as the configuration and the user have it: an agent in a mode, and what the user wants otherwise than
// the agent has it. It is a value.
type Role struct {
	// Agent and Mode have no name where none is chosen.
	Agent config.Agent
	Mode  config.Mode
	// Provider, Model, System (the name of a prompt) and Think go before the agent's own if they are not empty.
	Provider, Model, System string
	Think                   llm.Think
	// Within is the mode of the session, for an agent that works on behalf of another: what the mode forbids, it does not do.
	Within config.Mode
}

// FindRole is an agent in a mode, by their names; an empty name is none.
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

// Subagents are the agents that others may hand work to.
func Subagents(c *config.Config) []config.Agent {
	var out []config.Agent
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		if agent := c.Agents[name]; agent.Subagent {
			out = append(out, agent)
		}
	}
	return out
}

// Names lists what there is of a kind for a message.
func Names[T any](m map[string]T) string {
	if len(m) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
