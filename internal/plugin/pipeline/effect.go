package pipeline

import (
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Effect is what the result of a single handler would change if it were the only handler.
type Effect struct {
	// Injected is true if a message enters the history. Blocked is true if a tool call must not run.
	Injected, Blocked bool
	// Fields names the other changes, such as "arguments" or "request.skip".
	Fields []string
}

// Describe returns what a handler's result changes at a point, and each change with the values before and after it. in is the input
// that the handler received. The error is the reason why the result is dropped.
func Describe(point hookpoint.Name, in, result any) (Effect, []Change, error) {
	row, ok := hookpoint.Lookup(point)
	if !ok || result == nil {
		return Effect{}, nil, nil
	}
	given := row.Copy(in)
	v, used, errs := read(row, "", given, answer{result: result})
	if !used {
		return Effect{}, nil, errs[len(errs)-1]
	}
	_, v = row.Next(given, v)
	out := Fold(row, []Verdict{v})
	effect := Effect{Injected: len(out.Injections) > 0, Blocked: out.Block != nil}
	described := outsideFields(out)
	for _, f := range changes {
		if f.made(out) {
			effect.Fields = append(effect.Fields, f.name)
			described = append(described, Change{Field: f.name, Before: f.before(in), After: f.after(out), Concealed: slices.Contains(concealing, f.name)})
		}
	}
	if before, ok := in.(sdk.TransformContext); ok && !reflect.DeepEqual(normalized(before.Messages), normalized(out.Messages)) {
		effect.Fields = append(effect.Fields, messagesField)
		described = append(described, messageChanges(before.Messages, out.Messages)...)
	}
	return effect, described, nil
}

// changes lists the names of possible changes, how to detect each in an outcome, and the values before and after it. An outcome never
// contains changes that do not belong to its point.
var changes = []struct {
	name   string
	made   func(Outcome) bool
	before func(in any) string
	after  func(Outcome) string
}{
	{"disable_tools", func(o Outcome) bool { return len(o.DisableTools) > 0 }, nothing, func(o Outcome) string { return strings.Join(o.DisableTools, ", ") }},
	{
		"content", func(o Outcome) bool { return o.Prompt != nil && len(o.Changes) > 0 },
		from(func(c sdk.UserMessageContext) string { return c.Content }), func(o Outcome) string { return *o.Prompt },
	},
	{"request.append_system", func(o Outcome) bool { return o.Request.AppendSystem != nil }, nothing, func(o Outcome) string { return *o.Request.AppendSystem }},
	{"request.skip", func(o Outcome) bool { return o.Request.Skip }, unset, set},
	{
		"response.content", func(o Outcome) bool { return o.Response.Content != nil && !o.Response.Skip && len(o.Changes) > 0 },
		from(func(c sdk.AfterResponseContext) string { return c.Response }), func(o Outcome) string { return *o.Response.Content },
	},
	{"response.skip", func(o Outcome) bool { return o.Response.Skip }, from(func(c sdk.AfterResponseContext) string { return c.Response }), nothingAfter},
	{
		"arguments", func(o Outcome) bool { return o.Arguments != nil && len(o.Changes) > 0 },
		from(func(c sdk.BeforeToolContext) string { return asJSON(c.Arguments) }), func(o Outcome) string { return asJSON(o.Arguments) },
	},
	{
		"output", func(o Outcome) bool { return o.Output != nil && len(o.Changes) > 0 },
		from(func(c sdk.AfterToolContext) string { return c.ToolResult }), func(o Outcome) string { return *o.Output },
	},
	{"error.retry", func(o Outcome) bool { return o.Error.Retry }, from(func(c sdk.OnErrorContext) string { return c.Error }), func(Outcome) string { return "the model is asked again" }},
	{"error.skip", func(o Outcome) bool { return o.Error.Skip }, from(func(c sdk.OnErrorContext) string { return c.Error }), func(Outcome) string { return "the error is left out" }},
	{"compaction.skip", func(o Outcome) bool { return o.Compaction.Skip }, unset, set},
}

// concealing lists the changes by which a text does not reach the model.
var concealing = []string{"content", "response.content", "response.skip", "output"}

// messagesField is the field name for messages that a handler rewrote.
const messagesField = "messages"

// normalized copies messages for a comparison. It drops tokens, which are aura's own estimate, and converts times to UTC,
// because the wire does not keep the time zone.
func normalized(messages []sdk.Message) []sdk.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].Tokens, out[i].CreatedAt = 0, out[i].CreatedAt.UTC().Round(0)
	}
	return out
}

// FieldNames returns all names that Effect.Fields can contain, for the documentation.
func FieldNames() []string {
	var names []string
	for _, f := range changes {
		names = append(names, f.name)
	}
	return append(names, messagesField)
}
