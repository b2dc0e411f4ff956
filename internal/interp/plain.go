package interp

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/idelchi/aura/sdk"
)

// plainDepth bounds how deep boxes are looked for in lists and maps, one of which may hold itself.
const plainDepth = 16

// plainResult takes the boxes off the values of type any in what a plugin returns. The interpreter boxes those of the plugin's own
// types that have methods, and nobody but it can see into a box. What the plugin may still hold is copied, not changed.
func plainResult(result any) any {
	if result == nil || !holdsAny(reflect.TypeOf(result)) {
		return result
	}
	out := reflect.New(reflect.TypeOf(result)).Elem()
	out.Set(reflect.ValueOf(result))
	plainFields(out)
	return out.Interface()
}

// plainFields takes the boxes off the maps and slices of any within a value that can be set.
func plainFields(v reflect.Value) {
	if !holdsAny(v.Type()) {
		return
	}
	switch inside := v.Interface().(type) {
	case map[string]any:
		v.Set(reflect.ValueOf(plainMap(inside, 0)))
		return
	case []any:
		v.Set(reflect.ValueOf(plainList(inside, 0)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			plainFields(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			plainFields(own.Index(i))
		}
		v.Set(own)
	default:
	}
}

// holdingAny caches holdsAny by type.
var holdingAny sync.Map

// holdsAny reports whether plainFields finds a map or a slice of any in values of a type of the SDK.
func holdsAny(t reflect.Type) bool {
	if known, ok := holdingAny.Load(t); ok {
		return known == true
	}
	holds := t == reflect.TypeFor[map[string]any]() || t == reflect.TypeFor[[]any]()
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			holds = holds || t.Field(i).IsExported() && holdsAny(t.Field(i).Type)
		}
	case reflect.Slice:
		holds = holds || holdsAny(t.Elem())
	default:
	}
	holdingAny.Store(t, holds)
	return holds
}

// plainSchema does for the values that a tool's parameters may have what plainResult does for results.
func plainSchema(s sdk.ToolSchema) sdk.ToolSchema {
	s.Parameters.Properties = maps.Clone(s.Parameters.Properties)
	for name, p := range s.Parameters.Properties {
		p.Enum = plainList(p.Enum, 0)
		s.Parameters.Properties[name] = p
	}
	return s
}

// hasBox reports whether there is a box in a value.
func hasBox(v any, depth int) bool {
	if depth > plainDepth {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, inside := range v {
			if hasBox(inside, depth+1) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(v, func(inside any) bool { return hasBox(inside, depth+1) })
	default:
		return v != nil && isBox(reflect.TypeOf(v))
	}
}

// plain returns a value without boxes.
func plain(v any, depth int) any {
	for v != nil && isBox(reflect.TypeOf(v)) {
		inside, ok := unbox(reflect.ValueOf(v)).(reflect.Value)
		if !ok || !inside.IsValid() || !inside.CanInterface() {
			return nil
		}
		v = inside.Interface()
	}
	switch v := v.(type) {
	case map[string]any:
		return plainMap(v, depth+1)
	case []any:
		return plainList(v, depth+1)
	default:
		return v
	}
}

func plainMap(m map[string]any, depth int) map[string]any {
	if !hasBox(m, depth) {
		return m
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = plain(v, depth)
	}
	return out
}

func plainList(l []any, depth int) []any {
	if !hasBox(l, depth) {
		return l
	}
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = plain(v, depth)
	}
	return out
}
