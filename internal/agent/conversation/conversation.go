// Package conversation implements the loop between a user, a model, tools and plugins. It takes a prompt and runs turns until
// the agent stops. It neither reads configuration nor writes to a terminal; it reports everything as events.
package conversation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
)

// ErrStepLimit reports that an interaction used all its turns before the work was done.
var ErrStepLimit = errors.New("step limit reached")

// ErrBudget reports that a session has used up its token budget.
var ErrBudget = errors.New("token budget used up")

// Conversation is the dialogue of one session. Send, Compact and SetHistory must be called from one goroutine at a time; the
// other methods may be called at any time. It runs the turns; the parts below own the data.
type Conversation struct {
	cfg Config

	// These parts hold state. Each guards its own fields, and calls no other part while it holds its lock.
	personas   *personas
	transcript *transcript
	ledger     *ledger
	turn       *turn
	offer      *offer
	auto       *autoMode
	// These parts act on that state.
	window      *window
	hooks       *hooks
	executor    *executor
	attachments *attachments
	caller      *caller
	shortener   *shortener

	// mu guards busy. It is also held while several parts change together and while Context reads them, so that Context
	// never sees the agent of one moment with the tools of another. A part takes it only by asking for the Context, and holds no lock of
	// its own then.
	mu sync.Mutex
	// busy is set while a goroutine has claimed the conversation. Only that goroutine changes the parts, except for the tools, the
	// modes and what is saved for the next turn.
	busy bool
}

// New returns a conversation and emits the session's event. The conversation continues the history of an earlier one if cfg has
// any.
func New(ctx context.Context, cfg Config) (*Conversation, error) {
	if err := cfg.complete(); err != nil {
		return nil, fmt.Errorf("starting the conversation: %w", err)
	}
	c := assemble(cfg)
	c.ledger.begin(cfg.Now(), cfg.Stats, cfg.Models)
	who, err := c.personas.describe(ctx, cfg.Persona)
	if err != nil {
		return nil, err
	}
	c.personas.replace(who)
	c.rearm()
	if err := c.restore(cfg.History); err != nil {
		return nil, fmt.Errorf("starting the conversation: %w", err)
	}
	c.await(cfg.Waiting)
	c.withhold(ctx)
	c.cfg.Emit(event.Session{
		ID: cfg.SessionID, Agent: cfg.Agent, Mode: cfg.Mode, Provider: cfg.ProviderName, Model: who.modelName(), Workdir: cfg.Workdir,
		Tools: c.offer.available(),
	})
	return c, nil
}

// assemble returns a conversation in which nobody answers yet. cfg is complete.
func assemble(cfg Config) *Conversation {
	c := &Conversation{
		cfg:        cfg,
		personas:   &personas{emit: cfg.Emit, first: cfg.Persona},
		transcript: newTranscript(cfg.Journal, cfg.Emit, cfg.Now),
		ledger:     &ledger{},
		turn:       &turn{},
		offer:      &offer{done: cfg.Done},
		auto:       &autoMode{todos: cfg.Todos, on: cfg.Auto},
	}
	if cfg.Lead != nil {
		c.personas.lead, c.ledger.lead = cfg.Lead.personas, cfg.Lead.ledger
	}
	c.window = &window{personas: c.personas, transcript: c.transcript, offer: c.offer, turn: c.turn, ledger: c.ledger}
	c.hooks = &hooks{emit: cfg.Emit, configured: cfg.Hooks, personas: c.personas, offer: c.offer, state: c.Context}
	c.executor = &executor{
		emit: cfg.Emit, tape: cfg.Tape, replaced: cfg.Replaced, now: cfg.Now, workdir: cfg.Workdir, state: c.Context,
		personas: c.personas, offer: c.offer, hooks: c.hooks, ledger: c.ledger, transcript: c.transcript,
	}
	c.attachments = &attachments{emit: cfg.Emit, workdir: cfg.Workdir, personas: c.personas, executor: c.executor}
	c.caller = &caller{
		emit: cfg.Emit, tape: cfg.Tape, personas: c.personas, transcript: c.transcript, offer: c.offer, turn: c.turn,
		window: c.window, hooks: c.hooks, ledger: c.ledger, affordable: c.affordable,
	}
	c.executor.askModel = c.caller.ask
	c.shortener = &shortener{
		emit: cfg.Emit, todos: cfg.Todos, personas: c.personas, transcript: c.transcript, window: c.window, hooks: c.hooks,
		ledger: c.ledger, caller: c.caller,
	}
	return c
}

// complete sets defaults and refuses invalid values.
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
	if cfg.Journal == nil {
		cfg.Journal = unsaved{}
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

// Refresh updates which tools are offered at this moment. It does nothing while a turn runs, because that turn has updated them
// already.
func (c *Conversation) Refresh(ctx context.Context) {
	if c.personas.current().Withhold == nil || c.claim() != nil {
		return
	}
	defer c.release()
	c.withhold(ctx)
}

// oneAtATime serialises the events of tools that run in parallel.
func oneAtATime(emit func(event.Event)) func(event.Event) {
	var mu sync.Mutex
	return func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		emit(e)
	}
}

// SetTools replaces the tools, starting with the next turn.
func (c *Conversation) SetTools(tools *tool.Registry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.personas.setTools(tools)
	if !c.busy {
		c.rearm()
	}
}

// SetAuto turns auto mode on or off. While it is on, an agent that stops with open todos is asked to continue.
func (c *Conversation) SetAuto(on bool) { c.auto.set(on) }

// SetDone turns done mode on or off, starting with the next turn. While it is on, the agent is offered the tool Done, and
// calling Done ends the interaction.
func (c *Conversation) SetDone(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offer.setDone(on)
	if !c.busy {
		c.rearm()
	}
}

// rearm sets the state between turns to what the next turn will use. The caller holds the lock.
func (c *Conversation) rearm() {
	c.turn.appendSystem("")
	c.offer.arm(c.personas.current().Tools)
}

// claim gives the caller exclusive use of the conversation until release.
func (c *Conversation) claim() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return errors.New("a prompt is still being answered")
	}
	c.busy = true
	c.transcript.begin()
	return nil
}

func (c *Conversation) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	c.rearm()
}

// History returns the current messages, without those that are sent with one model call only. The caller owns the slice.
func (c *Conversation) History() []llm.Message { return c.transcript.messages() }

// Opening returns the first prompt in the history, if any. It ignores synthetic messages such as a summary.
func (c *Conversation) Opening() []llm.Message { return c.transcript.opening() }

func interrupted(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}
