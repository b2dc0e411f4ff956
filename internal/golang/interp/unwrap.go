package interp

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/golang/box"
	"github.com/idelchi/aura/sdk"
)

// unwrapDepth limits how deep boxes are searched for in slices and maps, because these may contain themselves.
const unwrapDepth = 16

// unwrapResult opens the boxes in the values of type any in a plugin's result. Values that the plugin may still hold are copied, not changed.
func unwrapResult(result any) any {
	if result == nil || !holdsAny(reflect.TypeOf(result)) {
		return result
	}
	out := reflect.New(reflect.TypeOf(result)).Elem()
	out.Set(reflect.ValueOf(result))
	unwrapFields(out)
	return out.Interface()
}

// unwrapFields opens the boxes in the maps and slices of any within v. v must be settable.
func unwrapFields(v reflect.Value) {
	if !holdsAny(v.Type()) {
		return
	}
	switch inside := v.Interface().(type) {
	case map[string]any:
		v.Set(reflect.ValueOf(unwrapMap(inside, 0)))
		return
	case []any:
		v.Set(reflect.ValueOf(unwrapList(inside, 0)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			unwrapFields(field)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			unwrapFields(own.Index(i))
		}
		v.Set(own)
	default:
	}
}

// holdingAny caches holdsAny by type.
var holdingAny sync.Map

// holdsAny reports whether values of an SDK type can contain a map or a slice of any that unwrapFields finds.
func holdsAny(t reflect.Type) bool {
	if known, ok := holdingAny.Load(t); ok {
		return known == true
	}
	holds := t == reflect.TypeFor[map[string]any]() || t == reflect.TypeFor[[]any]()
	switch t.Kind() {
	case reflect.Struct:
		for field := range t.Fields() {
			holds = holds || field.IsExported() && holdsAny(field.Type)
		}
	case reflect.Slice:
		holds = holds || holdsAny(t.Elem())
	default:
	}
	holdingAny.Store(t, holds)
	return holds
}

// unwrapSchema opens the boxes in the enum values of a tool's parameters, as unwrapResult does for results.
func unwrapSchema(s sdk.ToolSchema) sdk.ToolSchema {
	s.Parameters.Properties = maps.Clone(s.Parameters.Properties)
	for name, p := range s.Parameters.Properties {
		p.Enum = unwrapList(p.Enum, 0)
		s.Parameters.Properties[name] = p
	}
	return s
}

// hasBox reports whether a value contains a box.
func hasBox(v any, depth int) bool {
	if depth > unwrapDepth {
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
		return v != nil && box.Is(v)
	}
}

// unwrap returns a value with all boxes replaced by their contents.
func unwrap(v any, depth int) any {
	v = box.Plain(v)
	switch v := v.(type) {
	case map[string]any:
		return unwrapMap(v, depth+1)
	case []any:
		return unwrapList(v, depth+1)
	default:
		return v
	}
}

func unwrapMap(m map[string]any, depth int) map[string]any {
	if !hasBox(m, depth) {
		return m
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = unwrap(v, depth)
	}
	return out
}

func unwrapList(l []any, depth int) []any {
	if !hasBox(l, depth) {
		return l
	}
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = unwrap(v, depth)
	}
	return out
}
