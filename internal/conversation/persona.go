package conversation

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// Persona is who answers: an agent in a mode, with its model and its tools. It is a value.
type Persona struct {
	Agent string
	Mode  string
	// System is the system prompt; empty for none.
	System       string
	Provider     llm.Provider
	ProviderName string
	// Model is the provider's name for the model; empty for its default.
	Model string
	// Tools are all that the agent has in this mode; nil for none.
	Tools *tool.Registry
	// Reader reads the files that a prompt attaches, by the argument path; nil if there is no such tool. It may be one that the model
	// is not offered.
	Reader tool.Tool
	// ContextLength, in tokens, takes the place of the model's own if it is positive.
	ContextLength int
	Think         llm.Think
	Generation    llm.Generation
	// Fallback are the agents that take over, in order, when this one's provider fails for good.
	Fallback []Persona
	// MaxSteps limits the turns of one interaction, TokenBudget the tokens of the session both ways together, and ResultTokens
	// what a model sees of one tool call. A negative TokenBudget or ResultTokens is no limit. Zero, and a Compaction that is
	// nil, mean what the first persona of the conversation has; for that one they mean DefaultMaxSteps and no limit.
	MaxSteps     int
	TokenBudget  int
	ResultTokens int
	Compaction   *Compaction
	// Guard is asked about the calls of this persona; nil lets all of them run.
	Guard Guard
	// Withhold names the tools, by patterns, that are not offered at this moment; nil withholds none.
	Withhold func(ctx context.Context, state sdk.Context) []string
	// Disabled is told of each pattern of tools that a plugin withholds; nil is nobody.
	Disabled func(plugin, pattern string)
	// Hooks takes the place of Config.Hooks if it is not nil: the plugins with the settings of an agent that took over.
	Hooks pipeline.Source
}

// Guard stands between the plugins and a tool. Its methods are called for one call after the other.
type Guard interface {
	// Before may refuse a call with an error, or let it run and return a note for the model.
	Before(ctx context.Context, call tool.Call, t tool.Tool) (note string, err error)
	// After sees a call that ran, with its text and its error, and returns a note for the model.
	After(ctx context.Context, call tool.Call, t tool.Tool, output string, failure error) (note string)
}

// check says what keeps a persona from answering, if anything.
func (p Persona) check() error {
	if p.Provider == nil {
		return fmt.Errorf("agent %q has no provider", p.Agent)
	}
	if p.Compaction != nil && p.Compaction.By != nil && p.Compaction.By.Provider == nil {
		return fmt.Errorf("the agent that summarises for agent %q has no provider", p.Agent)
	}
	for _, next := range p.Fallback {
		if err := next.check(); err != nil {
			return err
		}
	}
	return nil
}

// speaker is a persona with what its model is like.
type speaker struct {
	Persona
	// model is zero while it is unresolved.
	model llm.Model
}

// modelName is what requests ask for.
func (s speaker) modelName() string {
	if s.Model != "" {
		return s.Model
	}
	return s.model.Name
}

// title is how messages call the model: by its name, with the provider's, or by the provider's alone while nobody knows the name.
func (s speaker) title() string {
	switch name := s.modelName(); {
	case name != "" && s.ProviderName != "":
		return fmt.Sprintf("model %s of provider %s", name, s.ProviderName)
	case name != "":
		return "model " + name
	default:
		return "the default model of provider " + s.ProviderName
	}
}

// window is the size of the context in tokens; 0 if nobody knows.
func (s speaker) window() int {
	if s.ContextLength > 0 {
		return s.ContextLength
	}
	return s.model.ContextLength
}

func (s speaker) info() sdk.ModelInfo {
	info := sdk.ModelInfo(s.model)
	if s.model.Name != "" {
		info.ContextLength = s.window()
	}
	return info
}

// thinkMode is how plugins are told of the amount of thinking.
func (s speaker) thinkMode() string {
	switch s.Think {
	case llm.ThinkLow, llm.ThinkMedium, llm.ThinkHigh:
		return string(s.Think)
	case llm.ThinkOn:
		return string(llm.ThinkMedium)
	default:
		return string(llm.ThinkOff)
	}
}
