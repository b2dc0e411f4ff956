// Package script is a provider that plays a conversation from a file. It needs no network and says the same every time:
// it is what aura runs on when no model is configured, and what tests run on.
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

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/strictyaml"
	"github.com/idelchi/aura/sdk"
)

// Script is a conversation as the model's side of it.
type Script struct {
	Model Model
	Turns []Turn
}

// Model is how the scripted model describes itself.
type Model struct {
	Name           string   `yaml:"name"`
	Family         string   `yaml:"family"`
	ParameterCount int64    `yaml:"parameter_count"`
	ContextLength  int      `yaml:"context_length"`
	Capabilities   []string `yaml:"capabilities"`
}

// Turn is the answer to one model call.
type Turn struct {
	// Thinking and then Text are streamed in small chunks.
	Thinking  string     `yaml:"thinking"`
	Text      string     `yaml:"text"`
	ToolCalls []ToolCall `yaml:"tool_calls"`
	// Usage is estimated if absent.
	Usage *llm.Usage `yaml:"usage"`
	// Delay passes before anything is streamed.
	Delay time.Duration `yaml:"delay"`
	// Error fails the call, once Thinking and Text are streamed.
	Error *Error `yaml:"error"`
}

// ToolCall is a call that the scripted model makes.
type ToolCall struct {
	// ID is made up if absent.
	ID        string    `yaml:"id"`
	Name      string    `yaml:"name"`
	Arguments Arguments `yaml:"arguments"`
}

// Arguments are sent as they are. In a file they are a mapping, or a text for arguments that are not well-formed.
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

// ErrorType is the class of a failure: one of sdk's ErrorType constants, or empty for an unclassified one.
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

// Demo is the built-in demonstration: one short conversation that looks around with the tool Ls and says how to
// configure a real model.
func Demo() Script {
	s, err := parse("demo.yaml", demo)
	if err != nil {
		// The script is a part of the program, and a test reads it.
		panic(err)
	}
	return s
}

func parse(file string, data []byte) (Script, error) {
	var content document
	if err := strictyaml.Decode(file, data, &content); err != nil {
		return Script{}, err
	}
	s := Script{Model: Model{Family: "script", ContextLength: 8192, Capabilities: []string{"tools"}}}
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
