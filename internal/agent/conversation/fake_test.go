package conversation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// reply is the behaviour of the fake model in one call.
type reply func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error)

// model is a provider that plays replies. After the last reply, it repeats that reply.
type model struct {
	llm.Model
	replies []reply
	err     error

	mu       sync.Mutex
	requests []llm.Request
}

func (m *model) describe(context.Context, string) (llm.Model, error) { return m.Model, m.err }

func (m *model) Chat(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	n := min(len(m.requests), len(m.replies)) - 1
	m.mu.Unlock()
	return m.replies[n](ctx, req, delta)
}

// provider adds the method Model, which the embedded field of model hides.
type provider struct{ *model }

func (p provider) Model(ctx context.Context, name string) (llm.Model, error) {
	return p.describe(ctx, name)
}

func text(content string) reply {
	return func(_ context.Context, _ llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		delta(llm.Delta{Text: content})
		return llm.Response{Message: llm.Message{Content: content}, Usage: llm.Usage{Input: 10, Output: 2}}, nil
	}
}

// calls returns a reply that asks for tools, each written as "Name {json}".
func calls(content string, wanted ...string) reply {
	return func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		m := llm.Message{Content: content}
		for i, w := range wanted {
			name, args, _ := strings.Cut(w, " ")
			m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("id%d", i), Name: name, Arguments: json.RawMessage(args)})
		}
		return llm.Response{Message: m}, nil
	}
}

func fails(class, message string) reply {
	return func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Type: class, Message: message}
	}
}

// hooks maps points to fake plugins. Each plugin receives the point's context.
type hooks map[hookpoint.Name][]plugin

type plugin struct {
	name   string
	handle func(in any) (any, error)
}

func (p plugin) Name() string { return p.name }

func (p plugin) Handle(_ context.Context, _ hookpoint.Name, in any) (any, error) { return p.handle(in) }

func (h hooks) Handlers(point hookpoint.Name) []pipeline.Handler {
	var out []pipeline.Handler
	for _, p := range h[point] {
		out = append(out, p)
	}
	return out
}

// on returns a plugin named p that returns the same result for every call.
func on(point hookpoint.Name, result any) hooks {
	return hooks{point: {{"p", func(any) (any, error) { return result, nil }}}}
}

// when returns a plugin named p that receives the point's context.
func when[C any](point hookpoint.Name, handle func(C) (any, error)) hooks {
	return hooks{point: {{"p", func(in any) (any, error) { return handle(in.(C)) }}}}
}

// both merges several sets of plugins.
func both(all ...hooks) hooks {
	out := hooks{}
	for _, h := range all {
		for point, plugins := range h {
			out[point] = append(out[point], plugins...)
		}
	}
	return out
}

// fakeTool is a tool that runs a function.
type fakeTool struct {
	tool.Definition
	run func(ctx context.Context, call tool.Call) (string, error)
}

type fake struct{ *fakeTool }

func (f fake) Definition() tool.Definition { return f.fakeTool.Definition }

func (f fake) Execute(ctx context.Context, call tool.Call) (string, error) { return f.run(ctx, call) }

const pathSchema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`

func newTool(name string, parallel bool, run func(context.Context, tool.Call) (string, error)) tool.Tool {
	return fake{&fakeTool{
		Definition: tool.Definition{Name: name, Description: "does " + name, Parameters: json.RawMessage(pathSchema), Parallel: parallel},
		run:        run,
	}}
}

// echo returns a tool that returns its path argument.
func echo(name string) tool.Tool {
	return newTool(name, true, func(_ context.Context, call tool.Call) (string, error) {
		return name + ":" + call.Args["path"].(string), nil
	})
}

// journal keeps messages in memory.
type journal struct {
	messages []llm.Message
	err      error
	// compacted holds the arguments of Compacted, as "kept:summary".
	compacted []string
	waiting   conversation.Waiting
}

func (j *journal) Waiting(w conversation.Waiting) error {
	j.waiting = w
	return j.err
}

func (j *journal) Compacted(summary string, kept int) error {
	if j.err != nil {
		return j.err
	}
	j.compacted = append(j.compacted, fmt.Sprintf("%d:%s", kept, summary))
	return nil
}

func (j *journal) Detached(kept int, rest []llm.Message) error {
	j.messages = append(j.messages[:kept:kept], rest...)
	return j.err
}

func (j *journal) Append(m llm.Message) error {
	if j.err != nil {
		return j.err
	}
	j.messages = append(j.messages, m)
	return nil
}

// bench is a conversation with all its fakes.
type bench struct {
	*conversation.Conversation
	model   *model
	journal *journal
	events  []event.Event
}

// options configures a bench.
type options struct {
	hooks    hooks
	tools    []tool.Tool
	system   string
	maxSteps int
	// change sets any other fields that a test needs.
	change func(*conversation.Config)
}

func start(t *testing.T, o options, replies ...reply) *bench {
	t.Helper()
	registry, err := tool.NewRegistry(o.tools...)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{
		model:   &model{Model: llm.Model{Name: "fake", Family: "f", ContextLength: 1000, ParameterCount: 7, Capabilities: []string{"tools"}}, replies: replies},
		journal: &journal{},
	}
	cfg := conversation.Config{
		Persona: conversation.Persona{
			Provider: provider{b.model}, ProviderName: "fakes", Agent: "tester", System: o.system, Tools: registry, MaxSteps: o.maxSteps,
		},
		Hooks: o.hooks, Journal: b.journal, Workdir: "somewhere", Vars: map[string]string{"k": "v"}, SessionID: "s1",
		Emit: func(e event.Event) { b.events = append(b.events, e) },
		Now:  func() time.Time { return time.Unix(1000, 0) },
	}
	if o.change != nil {
		o.change(&cfg)
	}
	if b.Conversation, err = conversation.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return b
}

// Switch prepares a persona and switches to it.
func (b *bench) Switch(ctx context.Context, to conversation.Persona, reason string) error {
	next, err := b.Prepare(ctx, to)
	if err == nil {
		b.Conversation.Switch(ctx, next, reason)
	}
	return err
}

// Renew prepares a persona and replaces the current one with it.
func (b *bench) Renew(ctx context.Context, to conversation.Persona) error {
	next, err := b.Prepare(ctx, to)
	if err == nil {
		b.Conversation.Renew(ctx, next)
	}
	return err
}

func (b *bench) send(t *testing.T, prompt string) {
	t.Helper()
	if err := b.Send(t.Context(), prompt); err != nil {
		t.Fatal(err)
	}
}

// sent returns the messages of the n-th request, counted from 1, as "role:content".
func (b *bench) sent(t *testing.T, n int) []string {
	t.Helper()
	if n > len(b.model.requests) {
		t.Fatalf("there were %d requests, not %d", len(b.model.requests), n)
	}
	return lines(b.model.requests[n-1].Messages)
}

// offered returns the tools of the n-th request, counted from 1.
func (b *bench) offered(n int) string {
	var names []string
	for _, d := range b.model.requests[n-1].Tools {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

func lines(messages []llm.Message) []string {
	var out []string
	for _, m := range messages {
		line := string(m.Role) + ":" + m.Content
		for _, call := range m.ToolCalls {
			line += "+" + call.Name
		}
		out = append(out, line)
	}
	return out
}

// only returns the events of one type.
func only[E event.Event](b *bench) []E {
	var out []E
	for _, e := range b.events {
		if found, ok := e.(E); ok {
			out = append(out, found)
		}
	}
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
}

func message(content string) sdk.Result { return sdk.Result{Message: content, Role: sdk.RoleUser} }
