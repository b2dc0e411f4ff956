// Package exact encodes Go values as JSON without loss of information. aura, aura-plugin-host and compiled plugins use it, so it imports
// only the standard library.
package exact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encode returns a value as JSON. Structs are objects with the names of their Go fields.
func Encode(v any) ([]byte, error) {
	if err := CheckNesting(v); err != nil {
		return nil, err
	}
	return Append(nil, v)
}

// Append appends what Encode returns. A struct is treated as what it is, and any other value as one whose type the other side does not know.
// The value must not contain itself.
func Append(dst []byte, v any) ([]byte, error) {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Struct {
		return appendValue(dst, value)
	}
	return appendDynamic(dst, value)
}

// Decode is the inverse of Encode. Fields of into that the JSON does not contain do not change. A field that into does not have is an
// error.
func Decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	return Set(tree, into)
}

// Set sets the value that into points to from decoded JSON. Numbers in tree are json.Number.
func Set(tree, into any) error { return set(tree, reflect.ValueOf(into).Elem()) }
