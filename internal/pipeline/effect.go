package pipeline

import (
	"context"
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Effect is what the result of one handler changes, were it the only one.
type Effect struct {
	// Injected is true if a message enters the history, Blocked if a tool call must not run.
	Injected, Blocked bool
	// Fields names what else it changes, such as "arguments" or "request.skip".
	Fields []string
}

// EffectOf says what a handler's result changes at a point. The input is what the handler was given. The error says why the result
// is dropped.
func EffectOf(point hookpoint.Name, in, result any) (Effect, error) {
	row, ok := hookpoint.Lookup(point)
	if !ok || result == nil {
		return Effect{}, nil
	}
	var dropped error
	r := runner{point: row, report: func(_ string, err error) { dropped = err }}
	ctx, given := context.Background(), row.Copy(in)
	v, ok := r.verdict(ctx, "", answer{result: result})
	if !ok || !r.accepts(ctx, given, v) {
		return Effect{}, dropped
	}
	_, v = row.Next(given, v)
	out := Fold(row, []Verdict{v})
	effect := Effect{Injected: len(out.Injections) > 0, Blocked: out.Block != nil}
	for _, f := range changes {
		if f.made(out) {
			effect.Fields = append(effect.Fields, f.name)
		}
	}
	if before, ok := in.(sdk.TransformContext); ok && !reflect.DeepEqual(normalized(before.Messages), normalized(out.Messages)) {
		effect.Fields = append(effect.Fields, messagesField)
	}
	return effect, nil
}

// changes are the names of what a result can change, and how an outcome shows it. What a point does not know, its outcome does not
// have.
var changes = []struct {
	name string
	made func(Outcome) bool
}{
	{"disable_tools", func(o Outcome) bool { return len(o.DisableTools) > 0 }},
	{"content", func(o Outcome) bool { return o.Prompt != nil && len(o.Changes) > 0 }},
	{"request.append_system", func(o Outcome) bool { return o.Request.AppendSystem != nil }},
	{"request.skip", func(o Outcome) bool { return o.Request.Skip }},
	{"response.content", func(o Outcome) bool { return o.Response.Content != nil && !o.Response.Skip && len(o.Changes) > 0 }},
	{"response.skip", func(o Outcome) bool { return o.Response.Skip }},
	{"arguments", func(o Outcome) bool { return o.Arguments != nil && len(o.Changes) > 0 }},
	{"output", func(o Outcome) bool { return o.Output != nil && len(o.Changes) > 0 }},
	{"error.retry", func(o Outcome) bool { return o.Error.Retry }},
	{"error.skip", func(o Outcome) bool { return o.Error.Skip }},
	{"compaction.skip", func(o Outcome) bool { return o.Compaction.Skip }},
}

// messagesField is the field of messages that a handler rewrote.
const messagesField = "messages"

// normalized copies messages for a comparison: without tokens, which are aura's own estimate, and with times in one zone, which the
// wire does not keep.
func normalized(messages []sdk.Message) []sdk.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].Tokens, out[i].CreatedAt = 0, out[i].CreatedAt.UTC().Round(0)
	}
	return out
}

// FieldNames are all names that Fields of an Effect can hold, for the documentation.
func FieldNames() []string {
	var names []string
	for _, f := range changes {
		names = append(names, f.name)
	}
	return append(names, messagesField)
}
