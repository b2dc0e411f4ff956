package conversation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/idelchi/aura/sdk"
)

// sessionID returns the id of the current session, which a resume changes.
func (cfg *Config) sessionID() string {
	if cfg.Surroundings == nil {
		return cfg.SessionID
	}
	return cmp.Or(cfg.Surroundings().SessionID, cfg.SessionID)
}

// Context returns the current state of the conversation. ToolHistory and Turns are shared with later snapshots and must not be
// changed. PluginConfig is left for the caller that passes the context to a plugin.
func (c *Conversation) Context() sdk.Context {
	var around Surroundings
	if c.cfg.Surroundings != nil {
		around = c.cfg.Surroundings()
	}
	if around.Vars == nil {
		around.Vars = c.cfg.Vars
	}
	todos := c.cfg.Todos.Counts()
	c.mu.Lock()
	defer c.mu.Unlock()
	around.Features.CompactionEnabled = c.personas.compaction().enabled()
	who, turn := c.personas.current(), c.turn.get()
	counted := c.ledger.view(c.cfg.Now())
	turns, messages := c.transcript.turns()
	return sdk.Context{
		Iteration:            turn.iteration,
		Tokens:               c.window.tokens(),
		Agent:                who.Agent,
		Mode:                 who.Mode,
		ModelInfo:            who.info(),
		Stats:                counted.stats,
		CostUSD:              counted.cost,
		Workdir:              c.cfg.Workdir,
		MessageCount:         messages,
		Auto:                 c.auto.active(),
		DoneActive:           c.offer.doneActive(),
		ResponseEmpty:        turn.empty,
		ResponseContentEmpty: turn.silent,
		HasToolCalls:         turn.calls,
		MaxSteps:             c.personas.maxSteps(),
		TodoPending:          todos.Pending,
		TodoInProgress:       todos.InProgress,
		TodoTotal:            todos.Total(),
		PatchCounts:          counted.patches,
		ToolHistory:          counted.calls,
		SessionID:            cmp.Or(around.SessionID, c.cfg.SessionID),
		SessionTitle:         around.SessionTitle,
		Provider:             who.ProviderName,
		ThinkMode:            who.thinkMode(),
		Features:             around.Features,
		AvailableTools:       c.offer.available(),
		LoadedTools:          slices.Clone(around.LoadedTools),
		Turns:                turns,
		SystemPrompt:         c.window.system(),
		MCPServers:           slices.Clone(around.MCPServers),
		Vars:                 maps.Clone(around.Vars),
	}
}

// Stats returns the current counts.
func (c *Conversation) Stats() sdk.Stats { return c.ledger.totals(c.cfg.Now()) }
