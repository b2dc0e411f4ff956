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
func Encode(v any) ([]byte, error) { return Append(nil, v) }

// Append appends a value to dst in the form of Encode. A pointer to a struct has the form of the struct.
func Append(dst []byte, v any) ([]byte, error) {
	if err := CheckNesting(v); err != nil {
		return nil, err
	}
	top := reflect.ValueOf(v)
	if top.Kind() == reflect.Struct {
		return appendTyped(dst, top)
	}
	return appendDynamic(dst, top) // the other side does not know its type
}

// Decode is the inverse of Encode. Fields of into that the JSON does not contain do not change. A field that into does not have is an
// error.
func Decode(b []byte, into any) error {
	if text, ok := into.(*string); ok && len(b) > 0 && b[0] == '"' {
		// A result may take a good part of the memory. A decoder would copy it once more.
		MakeRoom(len(b))
		if err := json.Unmarshal(b, text); err != nil {
			return fmt.Errorf("reading JSON: %w", err)
		}
		return nil
	}
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
