package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

// chunk is the length of a streamed piece, in runes.
const chunk = 12

// defaultName is the name of the model if the script sets none.
const defaultName = "scripted"

// Options selects the script. At most one field may be set. The default is the built-in demonstration.
type Options struct {
	// File is read once, by New.
	File   string
	Script Script
}

// Provider plays a script, one turn per model call. After the last turn it repeats the last text and makes no more tool calls.
type Provider struct {
	model   llm.Model
	replies []reply
	rest    reply

	mu   sync.Mutex
	next int
	// align is set until the first call has set next by the history.
	align bool
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider that starts at the first turn.
func New(o Options) (*Provider, error) {
	s, err := o.script()
	if err != nil {
		return nil, err
	}
	replies, err := compile(s)
	if err != nil {
		return nil, fmt.Errorf("preparing script: %w", err)
	}
	p := &Provider{model: s.Model.described(), replies: replies, align: s.Continue}
	if p.model.Name == "" {
		p.model.Name = defaultName
	}
	for _, r := range replies {
		if r.Text != "" {
			p.rest = reply{Turn: Turn{Text: r.Text}}
		}
	}
	return p, nil
}

func (m Model) described() llm.Model {
	return llm.Model{
		Name: m.Name, Family: m.Family, ParameterCount: m.ParameterCount, ContextLength: m.ContextLength, Capabilities: m.Capabilities,
		Audio: files.AudioTypes(),
	}
}

func (o Options) script() (Script, error) {
	switch {
	case o.File == "" && o.Script.Turns == nil:
		return Demo(), nil
	case o.File == "":
		return o.Script, nil
	case o.Script.Turns == nil:
		return Load(o.File)
	default:
		return Script{}, errors.New("preparing script: both a file and a script are given")
	}
}

// Model describes the scripted model. It accepts any name and returns the description under that name.
func (p *Provider) Model(_ context.Context, name string) (llm.Model, error) {
	m := p.model
	m.Capabilities = append([]string(nil), m.Capabilities...)
	if name != "" {
		m.Name = name
	}
	return m, nil
}

// Models implements llm.Lister. It returns the one model that the script describes.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	m, err := p.Model(ctx, "")
	return []llm.Model{m}, err
}

// Chat plays the next turn. It consumes no turn if ctx is already done.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, fmt.Errorf("calling scripted model: %w", err)
	}
	r := p.nextReply(req)
	if err := r.play(ctx, onDelta); err != nil {
		return llm.Response{}, fmt.Errorf("calling scripted model: %w", err)
	}
	if failure := r.Error; failure != nil {
		return llm.Response{}, &llm.Error{Type: string(failure.Type), Message: failure.Message}
	}
	return llm.Response{Message: r.message(), Usage: r.usage(req), Found: r.Found}, nil
}

func (p *Provider) nextReply(req llm.Request) reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.align {
		p.align = false
		for _, m := range req.Messages {
			if m.Role == llm.RoleAssistant && p.next < len(p.replies) {
				p.next++
			}
		}
	}
	if p.next == len(p.replies) {
		return p.rest
	}
	p.next++
	return p.replies[p.next-1]
}

func (r reply) play(ctx context.Context, onDelta func(llm.Delta)) error {
	if r.Delay > 0 {
		timer := time.NewTimer(r.Delay)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	for piece := range pieces(r.Thinking) {
		onDelta(llm.Delta{Thinking: piece})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for piece := range pieces(r.Text) {
		onDelta(llm.Delta{Text: piece})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// pieces splits a text into chunks. It never splits a rune.
func pieces(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, runes := 0, 0
		for i := range text {
			if runes == chunk {
				if !yield(text[start:i]) {
					return
				}
				start, runes = i, 0
			}
			runes++
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

func (r reply) message() llm.Message {
	m := llm.Message{Role: llm.RoleAssistant, Content: r.Text, Thinking: r.Thinking, CreatedAt: time.Now()}
	for _, call := range r.calls {
		call.Arguments = append([]byte(nil), call.Arguments...)
		m.ToolCalls = append(m.ToolCalls, call)
	}
	return m
}

// usage returns the scripted usage, or else an estimate of four bytes per token.
func (r reply) usage(req llm.Request) llm.Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	input := 0
	for _, m := range req.Messages {
		input += size(m)
	}
	for _, t := range req.Tools {
		input += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return llm.Usage{Input: tokens(input), Output: tokens(size(r.message()))}
}

func size(m llm.Message) int {
	n := len(m.Content) + len(m.Thinking)
	for _, call := range m.ToolCalls {
		n += len(call.Name) + len(call.Arguments)
	}
	return n
}

func tokens(bytes int) int { return (bytes + 3) / 4 }
