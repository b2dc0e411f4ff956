package conversation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/donetool"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// turn is what plugins may know of the turn that runs, or of the last one.
type turn struct {
	iteration int
	// sent is how many entries of the history the last request held.
	sent int
	// disabled are the patterns that waited for the call of this turn.
	disabled []string
	// appended is what plugins add to the system prompt for this turn.
	appended string
	// tools is the registry of this turn, and offered what of it the model is shown.
	tools   *tool.Registry
	offered []tool.Definition
	// withheld are patterns of the tools that the persona does not offer at this moment.
	withheld []string
	// names, schemaSize (in bytes) and schemaTokens are those of offered. The tokens are less than zero until they are counted.
	names                    []string
	schemaSize, schemaTokens int
	// empty, silent and calls describe the last response: nothing at all, no text, tool calls.
	empty, silent, calls bool
	// finished is set once the agent has called Done.
	finished bool
}

// responded notes what a response was like.
func (t *turn) responded(m llm.Message) {
	t.silent, t.calls = m.Content == "", len(m.ToolCalls) > 0
	t.empty = t.silent && !t.calls
}

// present shows the model the tools of this turn but those that fit the patterns. The caller holds the lock.
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

// system is the system prompt as it is sent in this turn. The caller holds the lock.
func (c *Conversation) system() string {
	if c.who.System == "" || c.turn.appended == "" {
		return c.who.System + c.turn.appended
	}
	return c.who.System + "\n\n" + c.turn.appended
}

// Context returns the state of the conversation at this moment. ToolHistory and Turns are shared with later snapshots and
// must not be changed; PluginConfig is for whoever hands the context to a plugin.
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
	around.Features.CompactionEnabled = c.compaction().enabled()
	calls, turns := c.ledger.calls, c.history.turns
	return sdk.Context{
		Iteration:            c.turn.iteration,
		Tokens:               c.tokens(),
		Agent:                c.who.Agent,
		Mode:                 c.who.Mode,
		ModelInfo:            c.who.info(),
		Stats:                c.ledger.snapshot(c.cfg.Now()),
		Workdir:              c.cfg.Workdir,
		MessageCount:         len(c.history.entries),
		Auto:                 c.auto,
		DoneActive:           c.done,
		ResponseEmpty:        c.turn.empty,
		ResponseContentEmpty: c.turn.silent,
		HasToolCalls:         c.turn.calls,
		MaxSteps:             c.maxSteps(),
		TodoPending:          todos.Pending,
		TodoInProgress:       todos.InProgress,
		TodoTotal:            todos.Total(),
		PatchCounts:          c.ledger.patched(),
		ToolHistory:          slices.Clip(calls),
		SessionID:            cmp.Or(around.SessionID, c.cfg.SessionID),
		SessionTitle:         around.SessionTitle,
		Provider:             c.who.ProviderName,
		ThinkMode:            c.who.thinkMode(),
		Features:             around.Features,
		AvailableTools:       slices.Clone(c.turn.names),
		LoadedTools:          slices.Clone(around.LoadedTools),
		Turns:                slices.Clip(turns),
		SystemPrompt:         c.system(),
		MCPServers:           slices.Clone(around.MCPServers),
		Vars:                 maps.Clone(around.Vars),
	}
}

// Stats returns what has been counted so far.
func (c *Conversation) Stats() sdk.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger.snapshot(c.cfg.Now())
}

// maxSteps limits the turns of one interaction. The caller holds the lock.
func (c *Conversation) maxSteps() int {
	if c.who.MaxSteps > 0 {
		return c.who.MaxSteps
	}
	return c.cfg.MaxSteps
}

// compaction returns the settings in force. The caller holds the lock.
func (c *Conversation) compaction() Compaction {
	for _, settings := range []*Compaction{c.who.Compaction, c.cfg.Compaction} {
		if settings != nil {
			return *settings
		}
	}
	return Compaction{}
}
