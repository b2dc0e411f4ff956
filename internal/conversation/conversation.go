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
	"github.com/idelchi/aura/internal/tool"
)

// DefaultMaxSteps limits the turns of one interaction.
const DefaultMaxSteps = 50

// ErrStepLimit says that an interaction used all its turns and the model still wanted to go on.
var ErrStepLimit = errors.New("step limit reached")

// Journal keeps what enters the history.
type Journal interface {
	Append(m llm.Message) error
}

// Config is all that a conversation needs. Only Provider is required.
type Config struct {
	Provider     llm.Provider
	ProviderName string
	// Model is the provider's name for the model; empty for its default.
	Model string
	Agent string
	// System is the system prompt; empty for none.
	System string
	// Tools may be replaced by SetTools.
	Tools   *tool.Registry
	Hooks   pipeline.Source
	Journal Journal
	Workdir string
	// MaxSteps limits the turns of one interaction. Zero means DefaultMaxSteps.
	MaxSteps  int
	Vars      map[string]string
	SessionID string
	// Emit is called from one goroutine at a time, in the order of what happens.
	Emit func(event.Event)
	// Now is for tests; nil means time.Now. It may be called from several goroutines.
	Now func() time.Time
}

// Conversation is one session's dialogue. Send is for one goroutine at a time; the other methods may be called at any
// moment.
type Conversation struct {
	cfg Config

	mu sync.Mutex
	// What follows is guarded by mu. Only the goroutine in Send changes it, except for tools.
	busy    bool
	tools   *tool.Registry
	model   llm.Model
	history history
	ledger  ledger
	turn    turn
	// disableNext holds patterns of the tools to withhold from the next model call.
	disableNext []string
	// unsaved is the first failure of the journal in this interaction.
	unsaved error
}

// New returns a conversation with an empty history and emits the session's event.
func New(ctx context.Context, cfg Config) (*Conversation, error) {
	if cfg.Provider == nil {
		return nil, errors.New("starting the conversation: no provider is configured")
	}
	if cfg.MaxSteps < 0 {
		return nil, fmt.Errorf("starting the conversation: the step limit is %d; it must be positive", cfg.MaxSteps)
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
	cfg.Vars = maps.Clone(cfg.Vars)
	c := &Conversation{cfg: cfg, tools: cfg.Tools}
	c.ledger.stats.StartTime = cfg.Now()
	c.turn.system = cfg.System
	c.offer(nil)
	if err := c.resolve(ctx); err != nil {
		return nil, err
	}
	c.cfg.Emit(event.Session{
		ID: cfg.SessionID, Agent: cfg.Agent, Provider: cfg.ProviderName, Model: c.modelName(), Workdir: cfg.Workdir,
		Tools: c.Context().AvailableTools,
	})
	return c, nil
}

// SetTools replaces the tools from the next turn on.
func (c *Conversation) SetTools(tools *tool.Registry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = tools
	if !c.busy {
		c.turn.offer(c.tools, c.disableNext)
	}
}

// resolve asks what the model is like. A provider that cannot tell leaves it unresolved, to be asked again before the next
// interaction: if something is wrong, the call of the model will say so.
func (c *Conversation) resolve(ctx context.Context) error {
	if c.model.Name != "" {
		return nil
	}
	model, err := c.cfg.Provider.Model(ctx, c.cfg.Model)
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err != nil {
		c.cfg.Emit(event.Notice{Text: fmt.Sprintf("describing the model: %v", err)})
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = model
	return nil
}

// modelName is what requests ask for.
func (c *Conversation) modelName() string {
	if c.cfg.Model != "" {
		return c.cfg.Model
	}
	return c.model.Name
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}
