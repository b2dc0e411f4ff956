package conversation

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// Persona is an agent in a mode, with its model and its tools. It is a value.
type Persona struct {
	Agent string
	Mode  string
	// System is the system prompt; empty for none.
	System       string
	Provider     llm.Provider
	ProviderName string
	// Model is the provider's name for the model; empty for its default.
	Model string
	// Tools holds all tools that the agent has in this mode; nil for none.
	Tools *tool.Registry
	// Reader reads the files that a prompt attaches; its argument is named path. It is nil if there is no such tool. The model
	// need not be offered this tool.
	Reader tool.Tool
	// ContextLength, in tokens, replaces the model's own if it is positive.
	ContextLength int
	Think         llm.Think
	Generation    llm.Generation
	// Fallback lists the agents that take over, in order, when this agent's provider fails permanently.
	Fallback []Persona
	// MaxSteps limits the turns of one interaction. TokenBudget limits the input and output tokens of the session together.
	// ResultTokens limits what a model sees of one tool call. A negative TokenBudget or ResultTokens means no limit. Zero, or a
	// nil Compaction, means the value of the conversation's first persona; for the first persona, it means DefaultMaxSteps and
	// no limit.
	MaxSteps     int
	TokenBudget  int
	ResultTokens int
	Compaction   *Compaction
	// Guard is consulted about the calls of this persona; nil permits all calls.
	Guard Guard
	// Withhold returns patterns of the tools that are not offered at this moment; nil withholds none.
	Withhold func(ctx context.Context, state sdk.Context) []string
	// Disabled is called for each pattern of tools that a plugin withholds; it may be nil.
	Disabled func(plugin, pattern string)
	// Hooks replaces Config.Hooks if it is not nil. It holds the plugins with the settings of an agent that took over.
	Hooks pipeline.Source
	// Moments holds the shell hooks of the agent in this mode, as handlers of moments; nil for none.
	Moments pipeline.Source
}

// Guard checks tool calls after the plugins and before the tool. Its methods are called for one call at a time.
type Guard interface {
	// Before may refuse a call by returning an error, or permit it and return a note for the model.
	Before(ctx context.Context, call tool.Call, t tool.Tool) (note string, err error)
	// After receives a call that ran, with its output and its error, and returns a note for the model.
	After(ctx context.Context, call tool.Call, t tool.Tool, output string, failure error) (note string)
}

// check returns an error if the persona cannot answer.
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

// speaker is a persona with the description of its model.
type speaker struct {
	Persona
	// model is the zero value until it is resolved.
	model llm.Model
}

// traced returns who answers, for a trace.
func (s speaker) traced() telemetry.Speaker {
	return telemetry.Speaker{Agent: s.Agent, Provider: s.ProviderName, Model: s.modelName()}
}

// modelName returns the model name that requests use.
func (s speaker) modelName() string {
	if s.Model != "" {
		return s.Model
	}
	return s.model.Name
}

// title returns the model's name for messages to the user, with the provider's name. If the model's name is unknown, it returns
// only the provider's.
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

// window returns the size of the context window in tokens, or 0 if it is unknown.
func (s speaker) window() int {
	if s.ContextLength > 0 {
		return s.ContextLength
	}
	return s.model.ContextLength
}

func (s speaker) info() sdk.ModelInfo {
	m := s.model
	info := sdk.ModelInfo{
		Name: m.Name, Family: m.Family, ParameterCount: m.ParameterCount, ContextLength: m.ContextLength, Capabilities: m.Capabilities,
	}
	if s.model.Name != "" {
		info.ContextLength = s.window()
	}
	return info
}

// thinkMode returns the amount of thinking in the form that plugins receive.
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
