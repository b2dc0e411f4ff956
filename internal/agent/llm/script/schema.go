package script

import (
	"reflect"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// document is the format of a script file.
type document struct {
	Model *Model `yaml:"model"`
	// Continue is the field of Script with the same name.
	Continue bool                  `yaml:"continue"`
	Turns    []strictyaml.At[Turn] `yaml:"turns"`
}

// FileType returns the type that a script file is decoded into.
func FileType() reflect.Type { return reflect.TypeFor[document]() }

// YAMLSchema implements strictyaml.Described.
func (Arguments) YAMLSchema() map[string]any {
	return map[string]any{"type": []any{"object", "string"}}
}

// YAMLValues implements strictyaml.Listed.
func (ErrorType) YAMLValues() []string { return errorTypes }
