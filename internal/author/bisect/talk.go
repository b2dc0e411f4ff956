package bisect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// Outcome is a repeated conversation.
type Outcome struct {
	// Events are its events, as aura run --json writes them.
	Events []byte
	// State is the state at its end.
	State sdk.Context
}

// Repeat repeats the recorded conversation with some plugins. The prompts, the answers of the model and the results of tools come from
// the recording; no tool and no shell hook runs. It returns when all processes have ended.
func Repeat(ctx context.Context, o plugincall.Options, r *recording.Recording, plugins []string) (out Outcome, err error) {
	if r.Talk == nil || len(r.Prompts) == 0 {
		return out, fmt.Errorf("repeating %s: it has no conversation; record one with aura run --record", r.Path)
	}
	caller, err := plugincall.New(o)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, caller.Close()) }()
	var hooks pipeline.Source = handlers{}
	if len(plugins) > 0 {
		fleet, err := caller.Fleet(ctx, plugins)
		if err != nil {
			return out, err
		}
		defer fleet.Close()
		hooks = handlers{fleet}
	}
	var todos todo.List
	tools, err := toolsOf(r, plugins, &todos)
	if err != nil {
		return out, err
	}
	var encoder event.Encoder
	var mu sync.Mutex
	t := r.Talk
	talk, err := conversation.New(ctx, conversation.Config{
		Persona: conversation.Persona{
			Agent: t.Agent, Mode: t.Mode, System: t.System, Provider: &tape{talk: t, answers: r.Answers}, ProviderName: t.Provider, Model: t.Model.Name,
			Tools: tools, MaxSteps: t.MaxSteps,
		},
		Hooks: hooks, Workdir: o.Config.Workdir, Todos: &todos, SessionID: r.Runs[0].Session,
		Emit: func(e event.Event) {
			mu.Lock()
			defer mu.Unlock()
			line, failed := encoder.Next(e)
			out.Events = append(append(out.Events, line...), '\n')
			err = errors.Join(err, failed)
		},
	})
	if err != nil {
		return out, err
	}
	talk.Begun(ctx, false)
	for _, prompt := range r.Prompts {
		// An error of the conversation is an event, as it was then.
		if failed := talk.Send(ctx, prompt); failed != nil && ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
	}
	out.State = talk.Context()
	talk.Ending(ctx, "done")
	return out, err
}

// handlers are the hooks of a fleet.
type handlers struct{ fleet *host.Fleet }

// Handlers implements pipeline.Source.
func (h handlers) Handlers(point hookpoint.Name) []pipeline.Handler {
	if h.fleet == nil {
		return nil
	}
	var out []pipeline.Handler
	for _, p := range h.fleet.At(point) {
		out = append(out, p)
	}
	return out
}

// tape is a provider that answers what was recorded, in order. Past the end it repeats the last text without tool calls.
type tape struct {
	talk *recording.Talk

	mu      sync.Mutex
	answers []recording.Answer
	last    string
}

// Model implements llm.Provider.
func (t *tape) Model(context.Context, string) (llm.Model, error) {
	m := t.talk.Model
	return llm.Model{Name: m.Name, Family: m.Family, ParameterCount: m.ParameterCount, ContextLength: m.ContextLength, Capabilities: m.Capabilities}, nil
}

// Chat implements llm.Provider.
func (t *tape) Chat(_ context.Context, _ llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	answer := recording.Answer{Text: t.last}
	if len(t.answers) > 0 {
		answer, t.answers = t.answers[0], t.answers[1:]
	}
	if answer.Error != "" {
		return llm.Response{}, &llm.Error{Type: answer.ErrorType, Message: answer.Error}
	}
	t.last = answer.Text
	if answer.Text != "" || answer.Thinking != "" {
		onDelta(llm.Delta{Text: answer.Text, Thinking: answer.Thinking})
	}
	m := llm.Message{Role: llm.RoleAssistant, Content: answer.Text, Thinking: answer.Thinking}
	for _, c := range answer.Calls {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
	}
	return llm.Response{Message: m, Usage: llm.Usage{Input: answer.TokensIn, Output: answer.TokensOut}}, nil
}

// results are the recorded results of tool calls.
type results struct {
	mu   sync.Mutex
	left []recording.Ran
}

// next removes the first result of the same call.
func (r *results) next(name, args string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.left, func(x recording.Ran) bool { return x.Name == name && x.Args == args })
	if i < 0 {
		return "", errors.New("this call is not in the recording, so its result is not known")
	}
	found := r.left[i]
	r.left = slices.Delete(r.left, i, i+1)
	if found.Error != "" {
		return found.Output, errors.New(found.Error)
	}
	return found.Output, nil
}

// recorded is a tool whose results come from the recording.
type recorded struct {
	definition tool.Definition
	results    *results
}

// Definition implements tool.Tool.
func (t recorded) Definition() tool.Definition { return t.definition }

// Execute implements tool.Tool.
func (t recorded) Execute(_ context.Context, call tool.Call) (string, error) {
	args, err := json.Marshal(call.Args)
	if err != nil {
		return "", err
	}
	return t.results.next(t.definition.Name, string(args))
}

// toolsOf returns the recorded tools, without those of plugins that are not there. The tools for todos are real, because plugins see the
// list.
func toolsOf(r *recording.Recording, plugins []string, todos *todo.List) (*tool.Registry, error) {
	left := &results{left: slices.Clone(r.Results)}
	list := todos.Tools()
	known := map[string]bool{}
	for _, t := range list {
		known[t.Definition().Name] = true
	}
	list = slices.DeleteFunc(list, func(t tool.Tool) bool {
		return !slices.ContainsFunc(r.Talk.Tools, func(x recording.Tool) bool { return x.Name == t.Definition().Name })
	})
	for _, t := range r.Talk.Tools {
		if known[t.Name] || t.Plugin != "" && !slices.Contains(plugins, t.Plugin) {
			continue
		}
		d := tool.Definition{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Parallel: t.Parallel, Source: tool.SourceBuiltin}
		if t.Plugin != "" {
			d.Source, d.Origin = tool.SourcePlugin, t.Plugin
		}
		list = append(list, recorded{definition: d, results: left})
	}
	return tool.NewRegistry(list...)
}
