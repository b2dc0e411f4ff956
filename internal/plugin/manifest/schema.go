package manifest

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// FileType returns the type into which the reader decodes plugin.yaml.
func FileType() reflect.Type { return reflect.TypeFor[document]() }

// YAMLValues implements strictyaml.Listed.
func (OnFailure) YAMLValues() []string { return []string{string(FailOpen), string(FailClosed)} }

// YAMLValues implements strictyaml.Listed.
func (GoRuntime) YAMLValues() []string {
	return []string{string(GoRuntimeAuto), string(GoRuntimeInterpreted), string(GoRuntimeNative)}
}

// timeout and memory are decoded as written, so that validate can report an invalid value together with the other faults of the
// file.
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
