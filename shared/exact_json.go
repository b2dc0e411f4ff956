package shared

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// EncodeExact returns a value as JSON without loss of information. Structs are objects with the names of their Go fields.
func EncodeExact(v any) ([]byte, error) {
	if err := cyclic(reflect.ValueOf(v), 0); err != nil {
		return nil, err
	}
	top := reflect.ValueOf(v)
	if top.Kind() == reflect.Struct {
		return appendExact(nil, top)
	}
	return appendDynamic(nil, top) // the other side does not know its type
}

// DecodeExact is the inverse of EncodeExact. Fields of into that the JSON does not contain do not change. A field that into does not
// have is an error.
func DecodeExact(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	return inexact(tree, reflect.ValueOf(into).Elem())
}
