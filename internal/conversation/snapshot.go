package conversation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/donetool"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/telemetry"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// turn is the state of the current turn, or of the last one.
type turn struct {
	iteration int
	// chat is the span of the model call of this turn; nil if nothing is traced. Only the goroutine of the turn uses it.
	chat *telemetry.Span
	// sent is how many entries of the history the last request contained.
	sent int
	// disabled holds the patterns that were saved for the model call of this turn.
	disabled []string
	// appended is the text that plugins append to the system prompt in this turn.
	appended string
	// tools is the registry of this turn. offered holds the tools in it that the model is offered.
	tools   *tool.Registry
	offered []tool.Definition
	// withheld holds patterns of the tools that the persona does not offer at this moment.
	withheld []string
	// names, schemaSize (in bytes) and schemaTokens describe offered. schemaTokens is negative until the tokens are counted.
	names                    []string
	schemaSize, schemaTokens int
	// empty, silent and calls describe the last response: it was empty, it had no text, it had tool calls.
	empty, silent, calls bool
	// finished is set once the agent has called Done.
	finished bool
}

// responded records the properties of a response.
func (t *turn) responded(m llm.Message) {
	t.silent, t.calls = m.Content == "", len(m.ToolCalls) > 0
	t.empty = t.silent && !t.calls
}

// present offers the model the tools of this turn, except those that match the patterns. The caller holds the lock.
func (c *Conversation) present(disabled []string) {
	t := &c.turn
	t.offered, t.names, t.schemaSize, t.schemaTokens = nil, []string{}, 0, -1
	for _, d := range t.tools.Offered() {
		if tool.Match(disabled, d.Name) || tool.Match(t.withheld, d.Name) || d.Name == donetool.Name && !c.done {
			continue
		}
		t.offered = append(t.offered, d)
		t.names = append(t.names, d.Name)
		t.schemaSize += len(schemaText(d))
	}
}

// system returns the system prompt that is sent in this turn. The caller holds the lock.
func (c *Conversation) system() string {
	system := c.personas.current().System
	if system == "" || c.turn.appended == "" {
		return system + c.turn.appended
	}
	return system + "\n\n" + c.turn.appended
}

// sessionID returns the id of the current session, which a resume changes.
func (c *Conversation) sessionID() string {
	if c.cfg.Surroundings == nil {
		return c.cfg.SessionID
	}
	return cmp.Or(c.cfg.Surroundings().SessionID, c.cfg.SessionID)
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
	who := c.personas.current()
	counted, turns := c.ledger.view(c.cfg.Now()), c.history.turns
	return sdk.Context{
		Iteration:            c.turn.iteration,
		Tokens:               c.tokens(),
		Agent:                who.Agent,
		Mode:                 who.Mode,
		ModelInfo:            who.info(),
		Stats:                counted.stats,
		CostUSD:              counted.cost,
		Workdir:              c.cfg.Workdir,
		MessageCount:         len(c.history.entries),
		Auto:                 c.auto,
		DoneActive:           c.done,
		ResponseEmpty:        c.turn.empty,
		ResponseContentEmpty: c.turn.silent,
		HasToolCalls:         c.turn.calls,
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
		AvailableTools:       slices.Clone(c.turn.names),
		LoadedTools:          slices.Clone(around.LoadedTools),
		Turns:                slices.Clip(turns),
		SystemPrompt:         c.system(),
		MCPServers:           slices.Clone(around.MCPServers),
		Vars:                 maps.Clone(around.Vars),
	}
}

// Stats returns the current counts.
func (c *Conversation) Stats() sdk.Stats { return c.ledger.totals(c.cfg.Now()) }
