package interp

import (
	"maps"
	"reflect"
	"slices"

	"github.com/idelchi/aura/sdk"
)

// plainDepth bounds how deep boxes are looked for in lists and maps, one of which may hold itself.
const plainDepth = 16

// plainResult takes the boxes off the values of type any in what a plugin returns. The interpreter boxes those of the plugin's own
// types that have methods, and nobody but it can see into a box. What the plugin may still hold is copied, not changed.
func plainResult(result any) any {
	switch r := result.(type) {
	case sdk.BeforeToolResult:
		r.Arguments = plainMap(r.Arguments, 0)
		return r
	case []sdk.Message:
		return plainMessages(r)
	default:
		return result
	}
}

func plainMessages(messages []sdk.Message) []sdk.Message {
	boxed := func(c sdk.MessageToolCall) bool { return hasBox(c.Arguments, 0) }
	if !slices.ContainsFunc(messages, func(m sdk.Message) bool { return slices.ContainsFunc(m.ToolCalls, boxed) }) {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for j := range out[i].ToolCalls {
			out[i].ToolCalls[j].Arguments = plainMap(out[i].ToolCalls[j].Arguments, 0)
		}
	}
	return out
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
