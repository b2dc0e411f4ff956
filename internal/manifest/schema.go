package manifest

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/strictyaml"
)

// FileType is what the reader decodes plugin.yaml into.
func FileType() reflect.Type { return reflect.TypeFor[document]() }

// YAMLValues implements strictyaml.Listed.
func (OnFailure) YAMLValues() []string { return []string{string(FailOpen), string(FailClosed)} }

// timeout and memory are read as written, so that a wrong one is reported together with the other faults of the file; see validate.
type (
	timeout struct{ written any }
	memory  struct{ written any }
)

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *timeout) UnmarshalYAML(n *yaml.Node) error { return n.Decode(&t.written) }

// UnmarshalYAML implements yaml.Unmarshaler.
func (m *memory) UnmarshalYAML(n *yaml.Node) error { return n.Decode(&m.written) }

// YAMLSchema implements strictyaml.Described; see parseTimeout.
func (timeout) YAMLSchema() map[string]any {
	return map[string]any{"type": []any{"string", "integer"}, "pattern": strictyaml.DurationPattern, "minimum": 1}
}

// YAMLSchema implements strictyaml.Described; see parseMemory.
func (memory) YAMLSchema() map[string]any {
	return map[string]any{
		"type": []any{"string", "integer"}, "minimum": MinMemory,
		"pattern": `^\s*[0-9]+(\.[0-9]+)?\s*([KkMmGgTt][Ii]?[Bb]|[Bb])?\s*$`,
	}
}
