package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/redact"
)

// Record returns a provider that records the answers of p as a script that can be played again. It rewrites the whole file
// after each call, without secrets. It follows no links below workdir. If writing fails, it reports the failure to tell and the
// conversation continues.
func Record(p llm.Provider, workdir, file string, secrets *redact.Current, tell func(error)) llm.Provider {
	return &recorder{Provider: p, workdir: workdir, file: file, secrets: secrets, tell: tell}
}

type recorder struct {
	llm.Provider
	workdir string
	file    string
	secrets *redact.Current
	tell    func(error)

	mu    sync.Mutex
	turns []map[string]any
	// told is set once a failure to write was reported.
	told bool
}

// Models lists the models of the wrapped provider, if it supports that.
func (r *recorder) Models(ctx context.Context) ([]llm.Model, error) {
	lister, ok := r.Provider.(llm.Lister)
	if !ok {
		return nil, errors.New("listing models: the provider cannot")
	}
	return lister.Models(ctx)
}

// Chat implements llm.Provider.
func (r *recorder) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	response, err := r.Provider.Chat(ctx, req, onDelta)
	if ctx.Err() == nil {
		r.recordTurn(ctx, req.Model, response, err)
	}
	return response, err
}

func (r *recorder) recordTurn(ctx context.Context, name string, response llm.Response, failed error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns = append(r.turns, hidden(r.secrets.Get(), turnOf(response, failed)))
	model, err := r.Model(ctx, name)
	if err != nil {
		model = llm.Model{Name: name}
	}
	if err := r.write(model); err != nil && !r.told {
		r.told = true
		r.tell(fmt.Errorf("recording the conversation in %s: %w", r.file, err))
	}
}

// turnOf converts a model call to a turn of a script.
func turnOf(response llm.Response, failed error) map[string]any {
	turn := map[string]any{}
	if failed != nil {
		said := map[string]any{"message": failed.Error()}
		if class, ok := errors.AsType[*llm.Error](failed); ok {
			said["message"] = class.Message
			if class.Type != "" {
				said["type"] = class.Type
			}
		}
		turn["error"] = said
		return turn
	}
	m := response.Message
	if m.Thinking != "" {
		turn["thinking"] = m.Thinking
	}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		turn["text"] = m.Content
	}
	var calls []map[string]any
	for _, c := range m.ToolCalls {
		calls = append(calls, map[string]any{"name": c.Name, "arguments": argumentsOf(c.Arguments)})
	}
	if len(calls) > 0 {
		turn["tool_calls"] = calls
	}
	var found []map[string]any
	for _, f := range response.Found {
		found = append(found, map[string]any{"title": f.Title, "url": f.URL})
	}
	if len(found) > 0 {
		turn["found"] = found
	}
	if response.Usage != (llm.Usage{}) {
		turn["usage"] = response.Usage
	}
	return turn
}

// hidden returns a copy of a turn with its secrets redacted.
func hidden(secrets *redact.Redactor, turn map[string]any) map[string]any {
	out := make(map[string]any, len(turn))
	for key, value := range turn {
		out[key] = hiddenValue(secrets, value)
	}
	return out
}

func hiddenValue(secrets *redact.Redactor, value any) any {
	switch v := value.(type) {
	case string:
		return secrets.String(v)
	case map[string]any:
		return hidden(secrets, v)
	case []map[string]any:
		out := make([]map[string]any, len(v))
		for i := range v {
			out[i] = hidden(secrets, v[i])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = hiddenValue(secrets, v[i])
		}
		return out
	default:
		return v
	}
}

// argumentsOf returns arguments as a mapping, or as the original text if they are not an object.
func argumentsOf(raw json.RawMessage) any {
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return string(raw)
	}
	return object
}

// write replaces the file. Only the owner can read the file, because a conversation may contain anything.
func (r *recorder) write(m llm.Model) error {
	model := map[string]any{"name": m.Name}
	if m.Family != "" {
		model["family"] = m.Family
	}
	if m.ParameterCount > 0 {
		model["parameter_count"] = m.ParameterCount
	}
	if m.ContextLength > 0 {
		model["context_length"] = m.ContextLength
	}
	if len(m.Capabilities) > 0 {
		model["capabilities"] = m.Capabilities
	}
	text, err := yaml.Marshal(map[string]any{"model": model, "turns": r.turns})
	if err != nil {
		return err
	}
	if err := files.MkdirBelow(r.workdir, filepath.Dir(r.file), 0o755); err != nil {
		return err
	}
	return files.SaveModeBelow(r.workdir, r.file, text, 0o600)
}
