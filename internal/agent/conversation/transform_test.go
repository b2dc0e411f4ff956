package conversation_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func transforms(change func([]sdk.Message) ([]sdk.Message, error)) hooks {
	return when(hookpoint.TransformMessages, func(c sdk.TransformContext) (any, error) {
		out, err := change(c.Messages)
		if err != nil {
			return nil, err
		}
		return out, nil
	})
}

func TestTransformMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func([]sdk.Message) ([]sdk.Message, error)
		want   []string
		failed bool
	}{
		{
			"change", func(m []sdk.Message) ([]sdk.Message, error) { m[1].Content = "changed"; return m, nil },
			[]string{"system:sys", "user:changed", "assistant:+Read", "tool:Read:x"},
			false,
		},
		{
			"remove", func(m []sdk.Message) ([]sdk.Message, error) { return slices.Delete(m, 1, 2), nil },
			[]string{"system:sys", "assistant:+Read", "tool:Read:x"},
			false,
		},
		{
			"remove a result", func(m []sdk.Message) ([]sdk.Message, error) { return slices.Delete(m, 3, 4), nil },
			[]string{"system:sys", "user:go", "assistant:+Read", "tool:The result was removed by plugin p."},
			false,
		},
		{
			"insert", func(m []sdk.Message) ([]sdk.Message, error) {
				return slices.Insert(m, 1, sdk.Message{ID: "fresh", Role: "user", Content: "new"}), nil
			},
			[]string{"system:sys", "user:new", "user:go", "assistant:+Read", "tool:Read:x"},
			false,
		},
		{
			"error", func([]sdk.Message) ([]sdk.Message, error) { return nil, errors.New("boom") },
			[]string{"system:sys", "user:go", "assistant:+Read", "tool:Read:x"},
			true,
		},
		{
			"system prompt removed", func(m []sdk.Message) ([]sdk.Message, error) { return m[1:], nil },
			[]string{"system:sys", "user:go", "assistant:+Read", "tool:Read:x"},
			true,
		},
		{
			"nothing left", func([]sdk.Message) ([]sdk.Message, error) { return nil, nil },
			[]string{"system:sys", "user:go", "assistant:+Read", "tool:Read:x"},
			true,
		},
		{
			"orphaned result", func(m []sdk.Message) ([]sdk.Message, error) { return slices.Delete(m, 2, 3), nil },
			[]string{"system:sys", "user:go", "assistant:+Read", "tool:Read:x"},
			true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			active := false
			b := start(t, options{system: "sys", tools: []tool.Tool{echo("Read")}, hooks: transforms(func(m []sdk.Message) ([]sdk.Message, error) {
				if active = len(m) == 4; active {
					return tt.change(m)
				}
				return m, nil
			})}, calls("", `Read {"path":"x"}`), text("end"))
			b.send(t, "go")
			same(t, "request", b.sent(t, 2), tt.want)
			same(t, "request event", only[event.Request](b)[1].Messages, len(tt.want))
			same(t, "journal", lines(b.journal.messages), []string{"user:go", "assistant:+Read", "tool:Read:x", "assistant:end"})
			if got := len(only[event.PluginError](b)) > 0; got != tt.failed {
				t.Errorf("failed: %v", only[event.PluginError](b))
			}
			b.send(t, "again")
			same(t, "history", b.sent(t, 3), []string{"system:sys", "user:go", "assistant:+Read", "tool:Read:x", "assistant:end", "user:again"})
		})
	}
}

func TestTransformSeesAllThatIsSent(t *testing.T) {
	t.Parallel()
	var seen []sdk.Message
	b := start(t, options{
		system: "sys", tools: []tool.Tool{echo("Read")},
		hooks: both(
			on(hookpoint.BeforeChat, sdk.Result{Message: "hint", Eject: true, Request: &sdk.RequestModification{AppendSystem: new("extra")}}),
			transforms(func(m []sdk.Message) ([]sdk.Message, error) { seen = slices.Clone(m); return m, nil }),
		),
	}, calls("look", `Read {"path":"x"}`), text("end"))
	b.send(t, "go")
	for i := range seen {
		if seen[i].CreatedAt.IsZero() != (i == 0) {
			t.Errorf("message %d was created at %v", i, seen[i].CreatedAt)
		}
		seen[i].CreatedAt = seen[0].CreatedAt
	}
	same(t, "messages", seen, []sdk.Message{
		{ID: "m0001", Role: "system", Content: "sys\n\nextra", Tokens: 3, Type: "normal"},
		{ID: "m0002", Role: "user", Content: "go", Tokens: 1, Type: "normal"},
		{
			ID: "m0003", Role: "assistant", Content: "look", Tokens: 7, Type: "normal",
			ToolCalls: []sdk.MessageToolCall{{ID: "id0", Name: "Read", Arguments: map[string]any{"path": "x"}}},
		},
		{ID: "m0004", Role: "tool", Content: "Read:x", ToolName: "Read", ToolCallID: "id0", Tokens: 2, Type: "normal"},
		{ID: "m0005", Role: "assistant", Content: "hint", Tokens: 1, Type: "synthetic"},
	})
}

func TestMergeKeepsWhatIsNotShown(t *testing.T) {
	t.Parallel()
	const written = `{ "path" : "x" , "odd": 1e2 }`
	tests := []struct {
		name   string
		change func([]sdk.Message) []sdk.Message
		want   []string
	}{
		{"untouched", func(m []sdk.Message) []sdk.Message { return m }, []string{written, `{oops`}},
		{"text changed", func(m []sdk.Message) []sdk.Message { m[1].Content = "new"; return m }, []string{written, `{oops`}},
		{
			"arguments changed", func(m []sdk.Message) []sdk.Message {
				m[1].ToolCalls[0].Arguments["path"] = "y"
				return m
			}, []string{`{"odd":100,"path":"y"}`, `{oops`},
		},
		{
			"a fresh identifier is a new message", func(m []sdk.Message) []sdk.Message {
				m[1].ID = "fresh"
				return m
			}, []string{`{"odd":100,"path":"x"}`, `{}`},
		},
		{
			"call removed with its result", func(m []sdk.Message) []sdk.Message {
				m[1].ToolCalls = m[1].ToolCalls[1:]
				return slices.Delete(m, 2, 3)
			}, []string{`{oops`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
				return llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{
					{ID: "a", Name: "Read", Arguments: []byte(written)}, {ID: "b", Name: "Read", Arguments: []byte(`{oops`)},
				}}}, nil
			}
			b := start(t, options{tools: []tool.Tool{echo("Read")}, hooks: transforms(func(m []sdk.Message) ([]sdk.Message, error) {
				if len(m) == 1 {
					return m, nil
				}
				return tt.change(m), nil
			})}, first, text("end"))
			b.send(t, "go")
			var got []string
			for _, call := range b.model.requests[1].Messages[1].ToolCalls {
				got = append(got, string(call.Arguments))
			}
			same(t, "arguments", got, tt.want)
		})
	}
}

// TestChangedThinkingIsReported changes thinking that a service has signed, and thinking that nobody has signed.
func TestChangedThinkingIsReported(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		blocks  []llm.ThinkingBlock
		change  bool
		notices int
	}{
		"signed":             {[]llm.ThinkingBlock{{Text: "hm", Signature: "s"}}, true, 1},
		"signed, as it was":  {[]llm.ThinkingBlock{{Text: "hm", Signature: "s"}}, false, 0},
		"thinking of others": {nil, true, 0},
	} {
		first := func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
			return llm.Response{Message: llm.Message{Content: "ok", Thinking: "hm", ThinkingBlocks: row.blocks}}, nil
		}
		b := start(t, options{hooks: transforms(func(m []sdk.Message) ([]sdk.Message, error) {
			for i := range m {
				if row.change && m[i].Thinking != "" {
					m[i].Thinking = "changed"
				}
			}
			return m, nil
		})}, first, text("end"), text("end"))
		for _, prompt := range []string{"one", "two", "three"} {
			b.send(t, prompt)
		}
		if got := only[event.Notice](b); len(got) != row.notices {
			t.Errorf("%s: %v", name, got)
		}
	}
}
