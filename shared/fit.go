package shared

import (
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// The growing lists of a context, by the names of their fields.
const (
	ListTurns    = "Turns"
	ListTools    = "ToolHistory"
	ListMessages = "Messages"
)

// Growing returns the names of the growing lists.
func Growing() []string { return []string{ListTurns, ListTools, ListMessages} }

// Without returns a context without the lists whose names are in unread.
func Without(c sdk.Context, unread []string) sdk.Context {
	if slices.Contains(unread, ListTurns) {
		c.Turns = nil
	}
	if slices.Contains(unread, ListTools) {
		c.ToolHistory = nil
	}
	return c
}

// fit describes how the lists of a call are shortened: to a size in bytes each, and whether the newest entries stay complete.
// The zero value keeps only the beginnings of texts.
type fit struct {
	size  int
	whole bool
}

// asItIs leaves lists unchanged.
var asItIs = fit{size: -1}

// oversizeFits are tried in order until a call is within MaxMessage. The lists of a conversation are limited, so this is for
// contexts from other sources, or with a very large newest entry in addition to another large text.
var oversizeFits = []fit{{limit.History, true}, {limit.History, false}, {}}

// context returns a context with shortened lists.
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

// reduced applies trim, which keeps the newest entry complete. If f.whole is false, reduced temporarily appends an empty newest
// entry.
func reduced[T any](list []T, f fit, trim func([]T) []T) []T {
	if f.whole {
		return trim(list)
	}
	var none T
	out := trim(append(slices.Clip(list), none))
	return out[:len(out)-1]
}

// hook shortens the lists in the context of a hook call.
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
