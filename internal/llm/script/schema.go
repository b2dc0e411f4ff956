package script

import (
	"reflect"

	"github.com/idelchi/aura/internal/strictyaml"
)

// document is a script as it is written.
type document struct {
	Model *Model                `yaml:"model"`
	Turns []strictyaml.At[Turn] `yaml:"turns"`
}

// FileType is what the reader decodes a script into.
func FileType() reflect.Type { return reflect.TypeFor[document]() }

// YAMLSchema implements strictyaml.Described.
func (Arguments) YAMLSchema() map[string]any {
	return map[string]any{"type": []any{"object", "string"}}
}

// YAMLValues implements strictyaml.Listed.
func (ErrorType) YAMLValues() []string { return errorTypes }
