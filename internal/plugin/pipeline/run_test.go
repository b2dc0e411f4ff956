package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// handler is a function with a name.
type handler struct {
	name   string
	handle func(ctx context.Context, in any) (any, error)
}

func (h handler) Name() string { return h.name }

func (h handler) Handle(ctx context.Context, _ hookpoint.Name, in any) (any, error) {
	return h.handle(ctx, in)
}

// source returns the same handlers at every point.
type source []pipeline.Handler

func (s source) Handlers(hookpoint.Name) []pipeline.Handler { return s }

func says(name string, result any, err error) handler {
	return handler{name, func(context.Context, any) (any, error) { return result, err }}
}

// failures collects reports as "name: error".
type failures []string

func (f *failures) report(r pipeline.Report) {
	for _, err := range r.Errs {
		*f = append(*f, r.Handler+": "+err.Error())
	}
}

// aar is a handler to which the rules of Aar apply.
type aar struct{ handler }

func (aar) Extension() bool { return true }

// TestExtensions checks that extensions are not asked about a call that is blocked already, and plugins are.
func TestExtensions(t *testing.T) {
	t.Parallel()
	var asked []string
	asks := func(name string, block bool) handler {
		return handler{name, func(context.Context, any) (any, error) {
			asked = append(asked, name)
			return sdk.BeforeToolResult{Block: block}, nil
		}}
	}
	src := source{aar{asks("a", false)}, aar{asks("b", true)}, aar{asks("c", true)}, asks("d", true)}
	out := pipeline.Run(t.Context(), src, hookpoint.BeforeToolExecution, sdk.BeforeToolContext{}, nil)
	if got := strings.Join(asked, ""); got != "abd" || strings.Join(out.Block.By, "") != "bd" {
		t.Errorf("asked %s, blocked by %s", got, out.Block.By)
	}
	asked = nil
	pipeline.Run(t.Context(), pipeline.Extensions(src), hookpoint.BeforeToolExecution, sdk.BeforeToolContext{}, nil)
	if got := strings.Join(asked, ""); got != "ab" {
		t.Errorf("asked %s of the extensions", got)
	}
	if pipeline.Has(pipeline.Extensions(nil), hookpoint.BeforeToolExecution) {
		t.Error("no source has extensions")
	}
}

func TestRunCallsIndependentHandlersSideBySide(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup
	together.Add(2)
	meet := func(name string) handler {
		return handler{name, func(context.Context, any) (any, error) {
			together.Done()
			together.Wait()
			return sdk.Result{Message: name}, nil
		}}
	}
	src := source{meet("b"), meet("a")}
	out := pipeline.Run(t.Context(), src, hookpoint.BeforeChat, sdk.BeforeChatContext{}, nil)
	if len(out.Injections) != 2 || out.Injections[0].Content != "a" || out.Injections[1].Content != "b" {
		t.Errorf("injections are not in the order of names: %+v", out.Injections)
	}
}

func TestRunReportsFailures(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	panics := handler{"panics", func(context.Context, any) (any, error) { panic("ouch") }}
	tests := []struct {
		name     string
		point    hookpoint.Name
		in       any
		handlers source
		messages []string
		blocked  bool
		reports  []string
	}{
		{
			name: "an error without a result", point: hookpoint.BeforeChat, in: sdk.BeforeChatContext{},
			handlers: source{says("a", nil, boom), says("b", sdk.Result{Message: "hi"}, nil)},
			messages: []string{"hi"}, reports: []string{"a: boom"},
		},
		{
			name: "a result beside an error counts", point: hookpoint.BeforeToolExecution, in: sdk.BeforeToolContext{},
			handlers: source{says("a", sdk.BeforeToolResult{Block: true}, boom)}, blocked: true, reports: []string{"a: boom"},
		},
		{
			name: "an unknown role", point: hookpoint.BeforeChat, in: sdk.BeforeChatContext{},
			handlers: source{says("a", sdk.Result{Message: "hi", Role: "system"}, nil)},
			messages: []string{"hi"}, reports: []string{`a: the role of its message is "system", which is neither "user" nor "assistant"; the message is added as one of the assistant`},
		},
		{
			name: "a nil result takes no part", point: hookpoint.BeforeChat, in: sdk.BeforeChatContext{},
			handlers: source{says("a", nil, nil)},
		},
		{
			name: "a panic is an error", point: hookpoint.BeforeChat, in: sdk.BeforeChatContext{},
			handlers: source{panics, says("z", sdk.Result{Message: "hi"}, nil)},
			messages: []string{"hi"}, reports: []string{"panics: running BeforeChat: panic: ouch"},
		},
		{
			name: "a result of another point's type", point: hookpoint.BeforeChat, in: sdk.BeforeChatContext{},
			handlers: source{says("a", sdk.BeforeToolResult{}, nil)},
			reports:  []string{"a: reading the result of BeforeChat: got sdk.BeforeToolResult, want sdk.Result"},
		},
		{
			name: "a plain result where a tool's is due", point: hookpoint.BeforeToolExecution, in: sdk.BeforeToolContext{},
			handlers: source{says("a", sdk.Result{}, nil)},
			reports:  []string{"a: reading the result of BeforeToolExecution: got sdk.Result, want sdk.BeforeToolResult"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got failures
			out := pipeline.Run(t.Context(), tt.handlers, tt.point, tt.in, got.report)
			var messages []string
			for _, in := range out.Injections {
				messages = append(messages, in.Content)
			}
			if !reflect.DeepEqual(messages, tt.messages) || (out.Block != nil) != tt.blocked {
				t.Errorf("got %+v", out)
			}
			if !reflect.DeepEqual([]string(got), tt.reports) {
				t.Errorf("reports: got %q, want %q", got, tt.reports)
			}
		})
	}
}

func TestRunIsSilentOnceCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var got failures
	pipeline.Run(ctx, source{says("a", nil, ctx.Err())}, hookpoint.BeforeChat, sdk.BeforeChatContext{}, got.report)
	if len(got) != 0 {
		t.Errorf("reported %q", got)
	}
}

// TestOneReportPerCall checks that each call of a handler is reported once, and at a chained point before the next one is made.
func TestOneReportPerCall(t *testing.T) {
	t.Parallel()
	var got []string
	acts := func(name string, result any, err error) handler {
		return handler{name, func(context.Context, any) (any, error) {
			got = append(got, name+" acts")
			return result, err
		}}
	}
	src := source{
		acts("a", sdk.Result{}, nil), acts("b", nil, nil), acts("c", nil, errors.New("boom")), acts("d", sdk.BeforeToolResult{}, nil),
		acts("e", sdk.Result{Message: "m", Role: "judge"}, errors.New("boom")),
	}
	pipeline.Run(t.Context(), src, hookpoint.AfterToolExecution, sdk.AfterToolContext{}, func(r pipeline.Report) {
		got = append(got, fmt.Sprintf("%s took part: %t, failures: %d", r.Handler, r.TookPart, len(r.Errs)))
	})
	want := []string{
		"a acts", "a took part: true, failures: 0", "b acts", "b took part: false, failures: 0", "c acts", "c took part: true, failures: 1",
		"d acts", "d took part: true, failures: 1", "e acts", "e took part: true, failures: 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRunWithNobody(t *testing.T) {
	t.Parallel()
	if pipeline.Has(nil, hookpoint.BeforeChat) || pipeline.Has(source{}, hookpoint.BeforeChat) {
		t.Error("Has found a handler where there is none")
	}
	out := pipeline.Run(t.Context(), nil, hookpoint.BeforeChat, sdk.BeforeChatContext{}, nil)
	if !reflect.DeepEqual(out, pipeline.Outcome{}) {
		t.Errorf("got %+v", out)
	}
	if out := pipeline.Run(t.Context(), source{says("a", sdk.Result{Message: "x"}, nil)}, "Nowhere", nil, nil); len(out.Injections) > 0 {
		t.Errorf("an unknown point did something: %+v", out)
	}
}

func TestArgumentsAreChained(t *testing.T) {
	t.Parallel()
	var seen []string
	step := func(name string) handler {
		return handler{name, func(_ context.Context, in any) (any, error) {
			args := in.(sdk.BeforeToolContext).Arguments
			seen = append(seen, args["command"].(string))
			args["command"] = args["command"].(string) + name
			return sdk.BeforeToolResult{Arguments: args}, nil
		}}
	}
	given := map[string]any{"command": "x", "deep": map[string]any{"list": []any{"y"}}}
	vandal := handler{"b", func(_ context.Context, in any) (any, error) {
		args := in.(sdk.BeforeToolContext).Arguments
		args["command"] = "vandalised"
		args["deep"].(map[string]any)["list"].([]any)[0] = "vandalised"
		return nil, errors.New("failed after the damage was done")
	}}
	out := pipeline.Run(t.Context(), source{step("a"), vandal, step("c")}, hookpoint.BeforeToolExecution,
		sdk.BeforeToolContext{ToolName: "Bash", Arguments: given}, nil)
	if strings.Join(seen, " ") != "x xa" {
		t.Errorf("handlers saw %q", seen)
	}
	want := map[string]any{"command": "xac", "deep": map[string]any{"list": []any{"y"}}}
	if !reflect.DeepEqual(out.Arguments, want) || out.ChangedBy != "c" {
		t.Errorf("got %v by %q, want %v", out.Arguments, out.ChangedBy, want)
	}
	if given["command"] != "x" {
		t.Errorf("the arguments given were changed: %v", given)
	}
}

// TestTextsAreChained runs two handlers that redact a text, one between them that fails, and one that changes nothing.
func TestTextsAreChained(t *testing.T) {
	t.Parallel()
	tests := []struct {
		point hookpoint.Name
		in    any
		text  func(in any) string
		give  func(text *string) sdk.Result
		got   func(out pipeline.Outcome) *string
	}{
		{
			hookpoint.AfterToolExecution,
			sdk.AfterToolContext{ToolResult: "one two"},
			func(in any) string { return in.(sdk.AfterToolContext).ToolResult },
			func(text *string) sdk.Result {
				return sdk.Result{Output: text, Message: "m", DisableTools: []string{"X"}}
			},
			func(out pipeline.Outcome) *string { return out.Output },
		},
		{
			hookpoint.AfterResponse,
			sdk.AfterResponseContext{Response: "one two"},
			func(in any) string { return in.(sdk.AfterResponseContext).Response },
			func(text *string) sdk.Result {
				r := response(text, false)
				r.Message, r.DisableTools = "m", []string{"X"}
				return r
			},
			func(out pipeline.Outcome) *string { return out.Response.Content },
		},
	}
	for _, tt := range tests {
		t.Run(string(tt.point), func(t *testing.T) {
			t.Parallel()
			hides := func(name, secret string) handler {
				return handler{name, func(_ context.Context, in any) (any, error) {
					return tt.give(new(strings.ReplaceAll(tt.text(in), secret, "*"))), nil
				}}
			}
			var got failures
			src := source{
				hides("d", "two"), hides("a", "one"), says("b", nil, errors.New("boom")), says("c", tt.give(nil), nil),
				handler{"bb", func(context.Context, any) (any, error) { panic("ouch") }},
				hides("e", "three"),
			}
			out := pipeline.Run(t.Context(), src, tt.point, tt.in, got.report)
			if text := tt.got(out); text == nil || *text != "* *" {
				t.Errorf("got %v, want both texts hidden", text)
			}
			if !slices.Equal(out.Changes, []string{"a", "d"}) || len(got) != 2 {
				t.Errorf("changed by %q, failures %q", out.Changes, got)
			}
			if len(out.Injections) != 4 || !slices.Equal(out.DisableTools, []string{"X"}) {
				t.Errorf("the other fields are not folded as elsewhere: %+v", out)
			}
		})
	}
}
