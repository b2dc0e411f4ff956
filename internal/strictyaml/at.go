package strictyaml

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// At is a value together with the line it stands on, for checks that come after decoding. Line is 0 when the key is
// absent or empty.
type At[T any] struct {
	Value T
	Line  int
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *At[T]) UnmarshalYAML(n *yaml.Node) error {
	a.Line = n.Line

	return n.Decode(&a.Value)
}

func (a *At[T]) valueType() reflect.Type { return reflect.TypeFor[T]() }

// placed lets the checker look through an At, so that what it holds is checked as strictly as anything else.
type placed interface{ valueType() reflect.Type }

var placedType = reflect.TypeFor[placed]()
