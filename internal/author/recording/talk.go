package recording

import (
	"encoding/json"
	"fmt"
)

// Talk is how a conversation begins.
type Talk struct {
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    Model  `json:"model"`
	// System is the system prompt without what plugins add to it.
	System   string `json:"system,omitempty"`
	MaxSteps int    `json:"max_steps,omitempty"`
	Tools    []Tool `json:"tools,omitempty"`
}

// Model describes a model.
type Model struct {
	Name           string   `json:"name"`
	Family         string   `json:"family,omitempty"`
	ParameterCount int64    `json:"parameter_count,omitempty"`
	ContextLength  int      `json:"context_length,omitempty"`
	Capabilities   []string `json:"capabilities,omitempty"`
}

// Tool describes a tool that a model is offered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	// Plugin is the plugin that provides the tool; empty if none does.
	Plugin   string `json:"plugin,omitempty"`
	Parallel bool   `json:"parallel,omitempty"`
}

// Answer is the answer of a model, or its error.
type Answer struct {
	Text      string       `json:"text,omitempty"`
	Thinking  string       `json:"thinking,omitempty"`
	Calls     []AnswerCall `json:"calls,omitempty"`
	TokensIn  int          `json:"tokens_in,omitempty"`
	TokensOut int          `json:"tokens_out,omitempty"`
	Error     string       `json:"error,omitempty"`
	// ErrorType is one of the SDK's error types; empty if the error is not classified.
	ErrorType string `json:"error_type,omitempty"`
}

// AnswerCall is a tool call in an answer. Arguments need not be valid JSON.
type AnswerCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Ran is the result of a tool call before plugins saw it.
type Ran struct {
	Name string `json:"name"`
	// Args are the arguments as JSON with sorted keys.
	Args   string `json:"args"`
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Talk records how the conversation begins, Prompt a prompt, Answer an answer of a model, and Ran the result of a tool call.
func (w *Writer) Talk(t Talk) error {
	return writeRedacted(w, later, &t, func(x *Talk) record { return record{Talk: x} })
}

// Prompt is described at Talk.
func (w *Writer) Prompt(text string) error {
	return writeRedacted(w, attached, &text, func(x *string) record { return record{Prompt: x} })
}

// Answer is described at Talk.
func (w *Writer) Answer(a Answer) error {
	return writeRedacted(w, attached, &a, func(x *Answer) record { return record{Answer: x} })
}

// Ran is described at Talk.
func (w *Writer) Ran(x Ran) error {
	return writeRedacted(w, later, &x, func(x *Ran) record { return record{Ran: x} })
}

// writeRedacted writes a value of plain JSON without secrets.
func writeRedacted[T any](w *Writer, when urgency, value *T, as func(*T) record) error {
	if w == nil {
		return nil
	}
	return w.do(when, func() error {
		clean, _, err := hidden(w.hider(), *value)
		if err != nil {
			return fmt.Errorf("recording the conversation: %w", err)
		}
		return w.add(as(&clean))
	})
}
