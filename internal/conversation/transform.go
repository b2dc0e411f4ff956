package conversation

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/sdk"
)

// transform lets plugins change the messages of one request. The history does not change. counted returns the tokens of each of the
// n messages of a request.
func (h *hooks) transform(ctx context.Context, messages []llm.Message, counted func(n int) []int) []llm.Message {
	plugins := h.plugins()
	if !pipeline.Has(plugins, hookpoint.TransformMessages) {
		return messages
	}
	shown := limit.ShortMessages(show(messages, counted(len(messages))), limit.Messages)
	in := sdk.TransformContext{Context: h.state(), Messages: shown}
	out := pipeline.Transform(ctx, plugins, in, estimateShown(messages, shown), h.reporter(hookpoint.TransformMessages))
	return merge(messages, shown, out)
}

// show returns messages in the form that plugins receive, with their positions as identifiers.
func show(messages []llm.Message, counts []int) []sdk.Message {
	out := make([]sdk.Message, 0, len(messages))
	for i, m := range messages {
		kind := "normal"
		if m.Synthetic {
			kind = "synthetic"
		}
		shown := sdk.Message{
			ID: fmt.Sprintf("m%04d", i+1), Role: string(m.Role), Content: m.Content, Thinking: m.Thinking,
			ToolName: m.ToolName, ToolCallID: m.ToolCallID, Tokens: counts[i], Type: kind, CreatedAt: m.CreatedAt,
		}
		for _, call := range m.ToolCalls {
			args, _ := parse(call.Arguments)
			shown.ToolCalls = append(shown.ToolCalls, sdk.MessageToolCall{ID: call.ID, Name: call.Name, Arguments: args})
		}
		out = append(out, shown)
	}
	return out
}

// merge converts the messages that plugins returned. A message whose identifier was shown to plugins keeps the fields that were
// not shown; the other messages are new.
func merge(messages []llm.Message, shown, returned []sdk.Message) []llm.Message {
	positions := make(map[string]int, len(shown))
	for i, m := range shown {
		positions[m.ID] = i
	}
	out := make([]llm.Message, 0, len(returned))
	for _, m := range returned {
		var base llm.Message
		var before sdk.Message
		if i, ok := positions[m.ID]; ok {
			base, before = messages[i], shown[i]
		}
		base.Role = llm.Role(m.Role)
		base.Content, base.Thinking = changed(base.Content, before.Content, m.Content), changed(base.Thinking, before.Thinking, m.Thinking)
		base.ToolName, base.ToolCallID = m.ToolName, m.ToolCallID
		base.Synthetic, base.CreatedAt = m.Type != "normal", m.CreatedAt
		base.ToolCalls = mergeCalls(base.ToolCalls, before.ToolCalls, m.ToolCalls)
		out = append(out, base)
	}
	return out
}

// changed returns a text as plugins changed it. A text that plugins returned as it was shown stays complete, because the shown
// text may have been shortened.
func changed(whole, shown, returned string) string {
	if returned == shown {
		return whole
	}
	return returned
}

// mergeCalls keeps the model's own arguments for each call that plugins left unchanged.
func mergeCalls(calls []llm.ToolCall, shown, returned []sdk.MessageToolCall) []llm.ToolCall {
	if len(returned) == 0 {
		return nil
	}
	out := make([]llm.ToolCall, 0, len(returned))
	for _, r := range returned {
		var call llm.ToolCall
		i := slices.IndexFunc(shown, func(s sdk.MessageToolCall) bool { return s.ID == r.ID })
		if i >= 0 {
			call = calls[i]
		}
		if i < 0 || !reflect.DeepEqual(shown[i].Arguments, r.Arguments) {
			call.Arguments = encoded(r.Arguments)
		}
		call.ID, call.Name = r.ID, r.Name
		out = append(out, call)
	}
	return out
}
