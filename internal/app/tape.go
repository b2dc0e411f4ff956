package app

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/author/recording"
)

// flight is a conversation.Tape: a recording also has what the conversation depends on.
var _ conversation.Tape = (*flight)(nil)

// talk records how a conversation begins.
func (f *flight) talk(ctx context.Context, p conversation.Persona) {
	t := recording.Talk{Agent: p.Agent, Mode: p.Mode, Provider: p.ProviderName, System: p.System, MaxSteps: p.MaxSteps, Model: recording.Model{Name: p.Model}}
	if m, err := p.Provider.Model(ctx, p.Model); err == nil { // a model that cannot be described has its name only
		t.Model = recording.Model{Name: m.Name, Family: m.Family, ParameterCount: m.ParameterCount, ContextLength: m.ContextLength, Capabilities: m.Capabilities}
	}
	if p.Tools != nil {
		for _, offered := range p.Tools.List() {
			d := offered.Definition()
			x := recording.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters, Parallel: d.Parallel}
			if d.Source == tool.SourcePlugin {
				x.Plugin = d.Origin
			}
			t.Tools = append(t.Tools, x)
		}
	}
	f.writeTape(func(w *recording.Writer) error { return w.Talk(t) })
}

// Prompt records a prompt.
func (f *flight) Prompt(text string) {
	f.writeTape(func(w *recording.Writer) error { return w.Prompt(text) })
}

// Answer records the answer of a model.
func (f *flight) Answer(response llm.Response, err error) {
	m := response.Message
	a := recording.Answer{Text: m.Content, Thinking: m.Thinking, TokensIn: response.Usage.Input, TokensOut: response.Usage.Output}
	for _, c := range m.ToolCalls {
		a.Calls = append(a.Calls, recording.AnswerCall{Name: c.Name, Arguments: string(c.Arguments)})
	}
	if err != nil {
		a = recording.Answer{Error: err.Error()}
		if class, ok := errors.AsType[*llm.Error](err); ok {
			a.Error, a.ErrorType = class.Message, class.Type
		}
	}
	f.writeTape(func(w *recording.Writer) error { return w.Answer(a) })
}

// Result records the result of a tool call.
func (f *flight) Result(name string, args map[string]any, output string, err error) {
	f.writeTape(func(w *recording.Writer) error {
		raw, failed := json.Marshal(args)
		if failed != nil {
			return failed
		}
		x := recording.Ran{Name: name, Args: string(raw), Output: output}
		if err != nil {
			x.Error = err.Error()
		}
		return w.Ran(x)
	})
}

// writeTape writes to the recording, if there is one.
func (f *flight) writeTape(write func(*recording.Writer) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.whole != nil {
		f.keepWhole(write(f.whole))
	}
}
