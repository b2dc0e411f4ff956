package strictyaml

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// At is a value together with its line, for checks after decoding. Line is 0 if the key is absent or empty.
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

// placed lets the checker see the type inside an At, so that the value in it is checked as strictly as any other.
type placed interface{ valueType() reflect.Type }

var placedType = reflect.TypeFor[placed]()
