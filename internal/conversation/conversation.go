// Package conversation is the loop between a user, a model, tools and plugins: it takes a prompt and goes on, turn after
// turn, until the agent rests. It neither reads configuration nor writes to a terminal; what happens is told as events.
package conversation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/internal/tokens"
	"github.com/idelchi/aura/internal/tool"
)

// ErrStepLimit says that an interaction used all its turns and the work was not done.
var ErrStepLimit = errors.New("step limit reached")

// ErrBudget says that a session has used all the tokens it was given.
var ErrBudget = errors.New("token budget used up")

// Conversation is one session's dialogue. Send, Compact and SetHistory are for one goroutine at a time; the other methods
// may be called at any moment.
type Conversation struct {
	cfg Config

	mu sync.Mutex
	// What follows is guarded by mu. Only the goroutine that has claimed the conversation changes it, except for the tools,
	// the modes and what waits for the next turn.
	busy    bool
	who     speaker
	history history
	ledger  ledger
	turn    turn
	// auto and done are the modes of those names.
	auto, done bool
	// waiting are the switches asked for while a turn runs.
	waiting []change
	// disableNext holds patterns of the tools to withhold from the next model call.
	disableNext []string
	// kept is what the journal was last given of what waits for the next model call.
	kept Waiting
	// counts are those of system prompts and tool schemas.
	counts tokens.Cache
	// compactFrom is the estimate below which no compaction is tried again, because the last one did not help.
	compactFrom int
	// unsaved is the first failure of the journal in this interaction.
	unsaved error
}

// New returns a conversation, with the history of an earlier one if there is any, and emits the session's event.
func New(ctx context.Context, cfg Config) (*Conversation, error) {
	if err := cfg.complete(); err != nil {
		return nil, fmt.Errorf("starting the conversation: %w", err)
	}
	c := &Conversation{cfg: cfg, auto: cfg.Auto, done: cfg.Done}
	c.history.ids = map[string]int{}
	c.ledger.begin(cfg.Now(), cfg.Stats, cfg.Models)
	var err error
	if c.who, err = c.describe(ctx, cfg.Persona); err != nil {
		return nil, err
	}
	c.rearm()
	if pipeline.HasInModelCall(cfg.Hooks) {
		tokens.Warm()
	}
	if err := c.restore(cfg.History); err != nil {
		return nil, fmt.Errorf("starting the conversation: %w", err)
	}
	c.await(cfg.Waiting)
	c.withhold(ctx)
	c.cfg.Emit(event.Session{
		ID: cfg.SessionID, Agent: cfg.Agent, Mode: cfg.Mode, Provider: cfg.ProviderName, Model: c.who.modelName(), Workdir: cfg.Workdir,
		Tools: c.turn.names,
	})
	return c, nil
}

// complete fills in defaults and refuses what makes no sense.
func (cfg *Config) complete() error {
	if err := cfg.check(); err != nil {
		return err
	}
	if cfg.MaxSteps < 0 {
		return fmt.Errorf("the step limit is %d; it must be positive", cfg.MaxSteps)
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = DefaultMaxSteps
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Emit == nil {
		cfg.Emit = func(event.Event) {}
	}
	cfg.Emit = oneAtATime(cfg.Emit)
	cfg.Vars = maps.Clone(cfg.Vars)
	return nil
}

// Refresh looks again which tools are offered at this moment, unless a turn runs: that one has looked already.
func (c *Conversation) Refresh(ctx context.Context) {
	c.mu.Lock()
	conditional := c.who.Withhold != nil
	c.mu.Unlock()
	if !conditional || c.claim() != nil {
		return
	}
	defer c.release()
	c.withhold(ctx)
}

// oneAtATime brings what tools that run side by side have to say into an order.
func oneAtATime(emit func(event.Event)) func(event.Event) {
	var mu sync.Mutex
	return func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		emit(e)
	}
}

// SetTools replaces the tools from the next turn on.
func (c *Conversation) SetTools(tools *tool.Registry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.who.Tools = tools
	if n := len(c.waiting); n > 0 {
		c.waiting[n-1].to.speaker.Tools = tools
	}
	if !c.busy {
		c.rearm()
	}
}

// SetAuto turns auto mode on or off: while it is on, an agent that rests with open todos is asked to go on.
func (c *Conversation) SetAuto(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.auto = on
}

// SetDone turns done mode on or off from the next turn on: while it is on, the agent is offered the tool Done, and its call
// ends the interaction.
func (c *Conversation) SetDone(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = on
	if !c.busy {
		c.rearm()
	}
}

// rearm prepares the state between turns, as the next one will find it. The caller holds the lock.
func (c *Conversation) rearm() {
	c.turn.appended = ""
	c.turn.tools = c.who.Tools
	c.present(c.disableNext)
}

// claim makes the conversation the caller's until release.
func (c *Conversation) claim() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return errors.New("a prompt is still being answered")
	}
	c.busy, c.unsaved = true, nil
	return nil
}

func (c *Conversation) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	c.rearm()
}

// saved reports whether the journal kept everything.
func (c *Conversation) saved() error {
	if c.unsaved == nil {
		return nil
	}
	return fmt.Errorf("saving the session: %w", c.unsaved)
}

// History returns the messages as they are now, without those that go with one model call only. The slice is the caller's.
func (c *Conversation) History() []llm.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]llm.Message, 0, len(c.history.entries))
	for _, e := range c.history.entries {
		if !e.eject {
			out = append(out, e.Message)
		}
	}
	return out
}

// Opening returns the first prompt that the history holds, if there is one: what the user said, not what stands for it.
func (c *Conversation) Opening() []llm.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.history.entries {
		if e.Role == llm.RoleUser && !e.Synthetic {
			return []llm.Message{e.Message}
		}
	}
	return nil
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}
