package pipeline

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/idelchi/aura/sdk"
)

// Change is one change that a handler's result makes. Before is empty if there was nothing, After if nothing is left.
type Change struct {
	// Field is one of the names of Effect.Fields, or one of the Field constants.
	Field         string
	Before, After string
	// Concealed is set if the model does not see Before because of the change.
	Concealed bool
}

// The fields of changes that Effect does not list among its fields. Those of messages replace "messages".
const (
	// FieldMessage is a message for the history. FieldEjected is one that is sent with one model call only.
	FieldMessage = "message"
	FieldEjected = "message.eject"
	// FieldBlock is the reason why a tool call must not run.
	FieldBlock = "block"
	// FieldInserted, FieldRemoved and FieldRewritten are messages of one request.
	FieldInserted  = "messages.inserted"
	FieldRemoved   = "messages.removed"
	FieldRewritten = "messages.rewritten"
	// FieldOrder is the order of the messages of one request.
	FieldOrder = "messages.order"
)

// outsideFields returns the changes that Effect does not list among its fields.
func outsideFields(o Outcome) []Change {
	var out []Change
	for _, i := range o.Injections {
		field := FieldMessage
		if i.Eject {
			field = FieldEjected
		}
		out = append(out, Change{Field: field, After: fmt.Sprintf("%s: %s", i.Role, i.Content)})
	}
	if o.Block != nil {
		out = append(out, Change{Field: FieldBlock, After: o.Block.Message})
	}
	return out
}

// messageChanges compares the messages of a request by their ids.
func messageChanges(before, after []sdk.Message) []Change {
	known := make(map[string]sdk.Message, len(before))
	for _, m := range normalized(before) {
		known[m.ID] = m
	}
	var out []Change
	for _, m := range normalized(after) {
		old, ok := known[m.ID]
		delete(known, m.ID)
		switch {
		case !ok:
			out = append(out, Change{Field: FieldInserted, After: shown(m)})
		case !reflect.DeepEqual(old, m):
			out = append(out, Change{Field: FieldRewritten, Before: shown(old), After: shown(m)})
		}
	}
	for _, m := range before {
		if old, left := known[m.ID]; left {
			delete(known, m.ID)
			out = append(out, Change{Field: FieldRemoved, Before: shown(old)})
		}
	}
	if len(out) == 0 {
		return []Change{{Field: FieldOrder, Before: order(before), After: order(after)}}
	}
	return out
}

func shown(m sdk.Message) string {
	lines := []string{m.Role + ": " + m.Content}
	for _, c := range m.ToolCalls {
		lines = append(lines, c.Name+" "+asJSON(c.Arguments))
	}
	return strings.Join(lines, "\n")
}

func order(messages []sdk.Message) string {
	ids := make([]string, 0, len(messages))
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

// from returns the value before a change from the context of a point.
func from[T any](value func(T) string) func(any) string {
	return func(in any) string {
		c, _ := in.(T)
		return value(c)
	}
}

func nothing(any) string { return "" }

func nothingAfter(Outcome) string { return "" }

func unset(any) string { return "false" }

func set(Outcome) string { return "true" }

// asJSON returns a value as JSON with sorted keys.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Subject returns the name of the tool that the context of a point is about; empty if it is about none.
func Subject(in any) string {
	switch c := in.(type) {
	case sdk.BeforeToolContext:
		return c.ToolName
	case sdk.AfterToolContext:
		return c.ToolName
	default:
		return ""
	}
}
