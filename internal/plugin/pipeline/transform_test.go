package pipeline_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

func conversation() []sdk.Message {
	return []sdk.Message{
		{ID: "m0001", Role: "system", Content: "be kind"},
		{ID: "m0002", Role: "user", Content: "list"},
		{ID: "m0003", Role: "assistant", ToolCalls: []sdk.MessageToolCall{{ID: "c1", Name: "Ls", Arguments: map[string]any{"path": "."}}}},
		{ID: "m0004", Role: "tool", ToolCallID: "c1", ToolName: "Ls", Content: "a b c"},
	}
}

// maps returns a handler that applies change to the messages.
func maps(name string, change func([]sdk.Message) []sdk.Message) handler {
	return handler{name, func(_ context.Context, in any) (any, error) {
		return change(in.(sdk.TransformContext).Messages), nil
	}}
}

func appends(name string) handler {
	return maps(name, func(m []sdk.Message) []sdk.Message {
		return append(m, sdk.Message{ID: "new-" + name, Role: "user", Content: name})
	})
}

func TestTransform(t *testing.T) {
	t.Parallel()
	vandal := handler{"b", func(_ context.Context, in any) (any, error) {
		m := in.(sdk.TransformContext).Messages
		m[1].Content = "vandalised"
		m[2].ToolCalls[0].Arguments["path"] = "/"
		return nil, errors.New("boom")
	}}
	tests := []struct {
		name     string
		handlers source
		// added holds the contents that follow the four original messages.
		added  []string
		report string
	}{
		{name: "nobody"},
		{name: "one feeds the next", handlers: source{appends("a"), appends("b")}, added: []string{"a", "b"}},
		{name: "a nil result passes the messages on", handlers: source{appends("a"), says("b", nil, nil), appends("c")}, added: []string{"a", "c"}},
		{name: "an error restores the original", handlers: source{appends("a"), vandal, appends("c")}, report: "b: boom"},
		{name: "an empty result restores the original", handlers: source{appends("a"), says("b", []sdk.Message(nil), nil)}, report: "no message is left"},
		{name: "a wrong type restores the original", handlers: source{says("b", sdk.Result{}, nil)}, report: "got sdk.Result"},
		{
			name: "a lost system prompt restores the original", report: "keep the system prompt first",
			handlers: source{maps("a", func(m []sdk.Message) []sdk.Message { return m[1:] })},
		},
		{
			name: "an orphaned result restores the original", report: `tool call "c1"`,
			handlers: source{maps("a", func(m []sdk.Message) []sdk.Message { return slices.Delete(m, 2, 3) })},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got failures
			in := sdk.TransformContext{Messages: conversation()}
			out, _ := pipeline.Transform(t.Context(), tt.handlers, in, func(m sdk.Message) int { return len(m.Content) }, got.report)
			want := conversation()
			if !sameButTokens(out[:4], want) {
				t.Errorf("original messages changed: %+v", out[:4])
			}
			var added []string
			for _, m := range out[4:] {
				added = append(added, m.Content)
				if m.Tokens != len(m.Content) {
					t.Errorf("Tokens of %q: got %d", m.Content, m.Tokens)
				}
			}
			if !reflect.DeepEqual(added, tt.added) {
				t.Errorf("added: got %q, want %q", added, tt.added)
			}
			if reported := strings.Join(got, ";"); !strings.Contains(reported, tt.report) || (tt.report == "") != (len(got) == 0) {
				t.Errorf("reported %q, want %q", got, tt.report)
			}
		})
	}
}

// sameButTokens reports whether the messages are equal except for their estimates.
func sameButTokens(got, want []sdk.Message) bool {
	got = slices.Clone(got)
	for i := range got {
		got[i].Tokens = want[i].Tokens
	}
	return reflect.DeepEqual(got, want)
}

func TestCheckMessages(t *testing.T) {
	t.Parallel()
	call := sdk.Message{Role: "assistant", ToolCalls: []sdk.MessageToolCall{{ID: "c1"}}}
	result := sdk.Message{Role: "tool", ToolCallID: "c1"}
	system, user := sdk.Message{Role: "system"}, sdk.Message{Role: "user"}
	tests := []struct {
		name     string
		original []sdk.Message
		out      []sdk.Message
		want     string
	}{
		{"unchanged", []sdk.Message{system, user}, []sdk.Message{system, user}, ""},
		{"no system prompt to keep", []sdk.Message{user}, []sdk.Message{user}, ""},
		{"result after its call", nil, []sdk.Message{call, result}, ""},
		{"empty", []sdk.Message{user}, nil, "no message is left"},
		{"system prompt moved", []sdk.Message{system, user}, []sdk.Message{user, system}, "system prompt first"},
		{"result before its call", nil, []sdk.Message{result, call}, "no earlier message makes"},
		{"result of a user's call", nil, []sdk.Message{{Role: "user", ToolCalls: call.ToolCalls}, result}, "no earlier message makes"},
		{"unknown role", nil, []sdk.Message{{Role: "robot"}}, `role "robot"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := hookpoint.CheckMessages(tt.original, tt.out)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
