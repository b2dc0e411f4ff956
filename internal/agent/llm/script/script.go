// Package script implements a provider that plays a conversation from a file. It needs no network and is deterministic. Aura
// uses it when no model is configured, and tests use it.
package script

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/sdk"
)

// Script is the model's side of a conversation.
type Script struct {
	Model Model
	// Continue makes the first call of a continued session play the turn after the answers in its history. Otherwise every process
	// begins with the first turn.
	Continue bool
	Turns    []Turn
}

// Model is the description of the scripted model.
type Model struct {
	Name           string   `yaml:"name"`
	Family         string   `yaml:"family"`
	ParameterCount int64    `yaml:"parameter_count"`
	ContextLength  int      `yaml:"context_length"`
	Capabilities   []string `yaml:"capabilities"`
}

// Turn is the answer to one model call.
type Turn struct {
	// Thinking is streamed first, then Text, both in small chunks.
	Thinking  string     `yaml:"thinking"`
	Text      string     `yaml:"text"`
	ToolCalls []ToolCall `yaml:"tool_calls"`
	// Found is what the service found, if the call is a search.
	Found []llm.Found `yaml:"found"`
	// Usage is estimated if it is absent.
	Usage *llm.Usage `yaml:"usage"`
	// Delay is the wait before anything is streamed.
	Delay time.Duration `yaml:"delay"`
	// Error makes the call fail after Thinking and Text were streamed.
	Error *Error `yaml:"error"`
}

// ToolCall is a call that the scripted model makes.
type ToolCall struct {
	// ID is generated if it is absent.
	ID        string    `yaml:"id"`
	Name      string    `yaml:"name"`
	Arguments Arguments `yaml:"arguments"`
}

// Arguments holds JSON that is sent unchanged. In a file it is a mapping, or a string for malformed arguments.
type Arguments json.RawMessage

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *Arguments) UnmarshalYAML(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.MappingNode:
		var object map[string]any
		if err := n.Decode(&object); err != nil {
			return err
		}
		encoded, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("encoding as JSON: %w", err)
		}
		*a = encoded
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		*a = Arguments(n.Value)
	default:
		return errors.New("expected a mapping, or a text that is sent as it is")
	}
	return nil
}

// Error is a scripted failure of the provider.
type Error struct {
	Type    ErrorType `yaml:"type"`
	Message string    `yaml:"message"`
}

// ErrorType is the class of a failure: one of sdk's ErrorType constants, or empty for an unclassified failure.
type ErrorType string

var errorTypes = []string{
	sdk.ErrorTypeRateLimit, sdk.ErrorTypeAuth, sdk.ErrorTypeNetwork, sdk.ErrorTypeServer, sdk.ErrorTypeContentFilter,
	sdk.ErrorTypeCreditExhausted, sdk.ErrorTypeModelUnavailable, sdk.ErrorTypeContextExhausted,
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (e *ErrorType) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return errors.New("expected text")
	}
	*e = ErrorType(n.Value)
	return e.check()
}

func (e ErrorType) check() error {
	if e == "" || slices.Contains(errorTypes, string(e)) {
		return nil
	}
	return fmt.Errorf("unknown error type %q; known types: %s", string(e), strings.Join(errorTypes, ", "))
}

// Load reads a script from a file.
func Load(file string) (Script, error) {
	data, err := files.Read(file, files.MaxText)
	if err != nil {
		return Script{}, fmt.Errorf("reading script: %w", err)
	}
	s, err := parse(file, data)
	if err != nil {
		return Script{}, fmt.Errorf("reading script: %w", err)
	}
	return s, nil
}

//go:embed demo.yaml
var demo []byte

// Demo returns the built-in demonstration: a short conversation that lists the directory with the tool Ls and explains how to
// configure a real model.
func Demo() Script {
	s, err := parse("demo.yaml", demo)
	if err != nil {
		// The script is embedded in the program, and a test parses it.
		panic(err)
	}
	return s
}

func parse(file string, data []byte) (Script, error) {
	var content document
	if err := strictyaml.Decode(file, data, &content); err != nil {
		return Script{}, err
	}
	s := Script{Continue: content.Continue, Model: Model{Family: "script", ContextLength: 8192, Capabilities: []string{"tools"}}}
	if content.Model != nil {
		s.Model = *content.Model
	}
	for _, turn := range content.Turns {
		s.Turns = append(s.Turns, turn.Value)
	}
	if _, err := compile(s); err != nil {
		placed := &strictyaml.Error{File: file, Err: err}
		if f, ok := errors.AsType[*fault](err); ok {
			placed.Line = content.Turns[f.turn].Line
		}
		return Script{}, placed
	}
	return s, nil
}
