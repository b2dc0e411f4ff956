package conversation

import (
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// turn is what plugins may know of the turn that runs, or of the last one.
type turn struct {
	iteration int
	// sent is how many entries of the history the last request held.
	sent int
	// system is the prompt as it is sent, with what plugins appended for this turn.
	system string
	// tools is the registry of this turn, and offered what of it the model is shown.
	tools   *tool.Registry
	offered []tool.Definition
	// names and tokens are those of offered.
	names  []string
	tokens int
	// empty, silent and calls describe the last response: nothing at all, no text, tool calls.
	empty, silent, calls bool
}

// offer shows the model all tools but those that fit the patterns.
func (t *turn) offer(tools *tool.Registry, disabled []string) {
	t.tools, t.offered, t.names, t.tokens = tools, nil, []string{}, 0
	for _, d := range tools.Offered() {
		if tool.Match(disabled, d.Name) {
			continue
		}
		t.offered = append(t.offered, d)
		t.names = append(t.names, d.Name)
		t.tokens += perFour(len(d.Name) + len(describe(d)) + len(d.Parameters))
	}
}

// responded notes what a response was like.
func (t *turn) responded(m llm.Message) {
	t.silent, t.calls = m.Content == "", len(m.ToolCalls) > 0
	t.empty = t.silent && !t.calls
}

// Context returns the state of the conversation at this moment. ToolHistory and Turns are shared with later snapshots and
// must not be changed; PluginConfig is for whoever hands the context to a plugin.
func (c *Conversation) Context() sdk.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls, turns := c.ledger.calls, c.history.turns
	return sdk.Context{
		Iteration:            c.turn.iteration,
		Tokens:               c.tokens(),
		Agent:                c.cfg.Agent,
		ModelInfo:            sdk.ModelInfo(c.model),
		Stats:                c.ledger.snapshot(c.cfg.Now()),
		Workdir:              c.cfg.Workdir,
		MessageCount:         len(c.history.entries),
		ResponseEmpty:        c.turn.empty,
		ResponseContentEmpty: c.turn.silent,
		HasToolCalls:         c.turn.calls,
		MaxSteps:             c.cfg.MaxSteps,
		PatchCounts:          map[string]int{},
		ToolHistory:          slices.Clip(calls),
		SessionID:            c.cfg.SessionID,
		Provider:             c.cfg.ProviderName,
		ThinkMode:            "off",
		AvailableTools:       slices.Clone(c.turn.names),
		Turns:                slices.Clip(turns),
		SystemPrompt:         c.turn.system,
		Vars:                 maps.Clone(c.cfg.Vars),
	}
}

// Stats returns what has been counted so far.
func (c *Conversation) Stats() sdk.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger.snapshot(c.cfg.Now())
}

// tokens says how full the window is, by the estimate of what the next request holds.
func (c *Conversation) tokens() sdk.TokenState {
	state := sdk.TokenState{
		Estimate: perFour(len(c.turn.system)) + c.history.tokens + c.turn.tokens,
		LastAPI:  c.ledger.lastInput,
		Max:      c.model.ContextLength,
	}
	if state.Max > 0 {
		state.Percent = 100 * float64(state.Estimate) / float64(state.Max)
	}
	return state
}
