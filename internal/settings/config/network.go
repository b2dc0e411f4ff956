package config

import (
	"encoding/json"
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/system/network"
)

// Network is the value of sandbox.network: on, off or rules. A value replaces the one of lower precedence as a whole.
type Network struct {
	network.Setting

	// Written is whether a setting or the command line gives the value. It is false for the default.
	Written bool
}

// String returns the value in words.
func (n Network) String() string {
	if !n.Written {
		return "hosts of presets; others are asked about"
	}
	return n.Setting.String()
}

// networkFile is the mapping form of Network.
type networkFile struct {
	Allow []strictyaml.At[string] `yaml:"allow"`
	Deny  []strictyaml.At[string] `yaml:"deny"`
	Ask   bool                    `yaml:"ask"`
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (n *Network) UnmarshalYAML(node *yaml.Node) error {
	*n = Network{Written: true}
	if node.Kind != yaml.MappingNode {
		if node.Kind != yaml.ScalarNode || node.Style != 0 && node.ShortTag() != "!!bool" || node.Decode(&n.On) != nil {
			return errors.New("expected on, off, or a mapping with allow, deny and ask")
		}
		return nil
	}
	var file networkFile
	if err := strictyaml.DecodeNode("", node, &file); err != nil {
		return err
	}
	n.Rules = &network.Rules{Ask: file.Ask}
	var err error
	if n.Rules.Allow, err = patterns(node, "allow", file.Allow, network.Parse); err != nil {
		return err
	}
	n.Rules.Deny, err = patterns(node, "deny", file.Deny, network.ParseDeny)
	return err
}

func patterns(node *yaml.Node, key string, texts []strictyaml.At[string], parse func(string) (network.Pattern, error)) ([]network.Pattern, error) {
	if list := value(node, key); list != nil {
		for i, item := range aliased(list).Content {
			// The decoder would drop it.
			if item.ShortTag() == nullTag {
				return nil, &strictyaml.Error{Line: item.Line, Err: fmt.Errorf("%s[%d]: no host; write a name, or remove the entry", key, i)}
			}
		}
	}
	var out []network.Pattern
	for i, text := range texts {
		p, err := parse(text.Value)
		if err != nil {
			return nil, &strictyaml.Error{Line: max(text.Line, node.Line), Err: fmt.Errorf("%s[%d]: %w", key, i, err)}
		}
		out = append(out, p)
	}
	return out, nil
}

// YAMLSchema implements strictyaml.Described.
func (Network) YAMLSchema() map[string]any {
	hosts := func(about string) map[string]any {
		return map[string]any{"type": []any{"array", "null"}, "items": map[string]any{"type": "string", "minLength": 1}, "description": about}
	}
	return map[string]any{
		"type": []any{"boolean", "string", "object"}, "pattern": strictyaml.BoolPattern, "additionalProperties": false,
		"properties": map[string]any{
			"allow": hosts("hosts that can be reached: NAME, *.NAME, an address or preset:NAME, with an optional :PORT"),
			"deny":  hosts("hosts that cannot be reached, even if allow has them"),
			"ask":   map[string]any{"type": []any{"boolean", "string", "null"}, "description": "ask the user about other hosts"},
		},
	}
}

// MarshalJSON returns the value as it can be written in settings.
func (n Network) MarshalJSON() ([]byte, error) {
	if n.Rules != nil {
		written := *n.Rules
		written.Lenient = false
		return json.Marshal(written)
	}
	return json.Marshal(n.On)
}
