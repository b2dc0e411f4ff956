package shared

import (
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/sdk"
)

// The lists of a context that grow with the conversation, by the names of their fields.
const (
	ListTurns    = "Turns"
	ListTools    = "ToolHistory"
	ListMessages = "Messages"
)

// Without returns a context without the lists of the given names.
func Without(c sdk.Context, unread []string) sdk.Context {
	if slices.Contains(unread, ListTurns) {
		c.Turns = nil
	}
	if slices.Contains(unread, ListTools) {
		c.ToolHistory = nil
	}
	return c
}

// fit says how the lists of a call are reduced: to a size in bytes each, with or without the newest entries left whole. The zero
// value leaves nothing but the beginnings of texts.
type fit struct {
	size  int
	whole bool
}

// asItIs leaves lists as they are.
var asItIs = fit{size: -1}

// oversizeFits are tried one after the other until a call is within MaxMessage. The lists of a conversation are bounded, so this is for
// contexts that come from elsewhere, or hold a very large newest entry beside another large text.
var oversizeFits = []fit{{limit.History, true}, {limit.History, false}, {}}

// context returns a context with reduced lists.
func (f fit) context(c sdk.Context) sdk.Context {
	if f == asItIs {
		return c
	}
	if c.ToolHistory != nil {
		c.ToolHistory = reduced(c.ToolHistory, f, func(list []sdk.ToolCall) []sdk.ToolCall {
			out, _ := limit.TrimCalls(list, f.size)
			return out
		})
	}
	if c.Turns != nil {
		c.Turns = reduced(c.Turns, f, func(list []sdk.Turn) []sdk.Turn {
			out, _ := limit.TrimTurns(list, f.size)
			return out
		})
	}
	return c
}

// reduced applies trim, which leaves the newest entry whole. If that is not wanted, an empty one is the newest meanwhile.
func reduced[T any](list []T, f fit, trim func([]T) []T) []T {
	if f.whole {
		return trim(list)
	}
	var none T
	out := trim(append(slices.Clip(list), none))
	return out[:len(out)-1]
}

// hook is context for the context of a hook.
func (f fit) hook(call HookCall) HookCall {
	if f == asItIs {
		return call
	}
	v := reflect.New(reflect.TypeOf(call.Context)).Elem()
	v.Set(reflect.ValueOf(call.Context))
	shape := shapeOf(v.Type())
	if base, ok := reflect.TypeAssert[sdk.Context](v.Field(shape.base)); ok {
		v.Field(shape.base).Set(reflect.ValueOf(f.context(base)))
	}
	if shape.messages >= 0 {
		if list, ok := reflect.TypeAssert[[]sdk.Message](v.Field(shape.messages)); ok && list != nil {
			list = reduced(list, f, func(list []sdk.Message) []sdk.Message { return limit.ShortMessages(list, f.size) })
			v.Field(shape.messages).Set(reflect.ValueOf(list))
		}
	}
	call.Context = v.Interface()
	return call
}
