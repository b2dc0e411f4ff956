package conversation

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// transform lets plugins change the messages of one request. The history does not change. counted returns the tokens of each of the
// n messages of a request.
func (h *hooks) transform(ctx context.Context, messages []llm.Message, counted func(n int) []int) []llm.Message {
	out, _ := h.transformed(ctx, messages, counted)
	return out
}

// transformed is transform. It also returns the position that each message had in the request, or -1 for a new message.
func (h *hooks) transformed(ctx context.Context, messages []llm.Message, counted func(n int) []int) ([]llm.Message, []int) {
	plugins := h.plugins()
	if !pipeline.Has(plugins, hookpoint.TransformMessages) {
		return messages, positions(len(messages))
	}
	shown := limit.ShortMessages(show(messages, counted(len(messages))), limit.Messages)
	in := sdk.TransformContext{Context: h.state(), Messages: shown}
	returned, steps := pipeline.Transform(ctx, plugins, in, estimateShown(messages, shown), h.reporter(hookpoint.TransformMessages))
	h.tellUnsigned(messages, shown, steps)
	return merge(messages, shown, withoutGaps(shown, returned, steps))
}

// tellUnsigned reports once per plugin that it changed thinking that its service has signed. The service would refuse such thinking, so
// it is not sent, and the model may not think again before the next prompt.
func (h *hooks) tellUnsigned(messages []llm.Message, shown []sdk.Message, steps []hookpoint.Step) {
	signed := map[string]string{}
	for i, m := range messages {
		if len(m.ThinkingBlocks) > 0 {
			signed[shown[i].ID] = shown[i].Thinking
		}
	}
	for _, step := range steps {
		for _, m := range step.Messages {
			if before, ok := signed[m.ID]; !ok || m.Thinking == before {
				continue
			}
			if _, told := h.unsigned.LoadOrStore(step.Handler, true); !told {
				h.emit(event.Notice{Plugin: step.Handler, Text: fmt.Sprintf(
					"plugin %s changed the thinking of an answer, which the service has signed: that thinking is not sent, and the model may not think before its next answer", step.Handler)})
			}
			return
		}
	}
}

func positions(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// withoutGaps adds a result to each tool call whose result plugins removed. Otherwise the model would learn that the call was
// interrupted. The result says who removed it.
func withoutGaps(shown, returned []sdk.Message, steps []hookpoint.Step) []sdk.Message {
	had, has := resultsOf(shown), resultsOf(returned)
	var out []sdk.Message
	for i, m := range returned {
		out = append(out, m)
		for _, call := range m.ToolCalls {
			if !had[call.ID] || has[call.ID] {
				continue
			}
			out = append(out, sdk.Message{
				ID: fmt.Sprintf("removed-%d-%s", i, call.ID), Role: string(llm.RoleTool), ToolName: call.Name, ToolCallID: call.ID, Type: "synthetic",
				Content: fmt.Sprintf("The result was removed by plugin %s.", remover(call.ID, steps)), CreatedAt: m.CreatedAt,
			})
		}
	}
	return out
}

// remover returns the first plugin after which a call had no result.
func remover(call string, steps []hookpoint.Step) string {
	for _, step := range steps {
		if !resultsOf(step.Messages)[call] {
			return step.Handler
		}
	}
	return ""
}

// resultsOf returns the identifiers of the calls that have a result.
func resultsOf(messages []sdk.Message) map[string]bool {
	out := map[string]bool{}
	for _, m := range messages {
		if m.Role == string(llm.RoleTool) {
			out[m.ToolCallID] = true
		}
	}
	return out
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
// not shown, and its position is returned; the other messages are new, with position -1.
func merge(messages []llm.Message, shown, returned []sdk.Message) (out []llm.Message, at []int) {
	positions := make(map[string]int, len(shown))
	for i, m := range shown {
		positions[m.ID] = i
	}
	for _, m := range returned {
		var base llm.Message
		var before sdk.Message
		i, known := positions[m.ID]
		if known {
			base, before = messages[i], shown[i]
		} else {
			i = -1
		}
		base.Role = llm.Role(m.Role)
		base.Content, base.Thinking = changed(base.Content, before.Content, m.Content), changed(base.Thinking, before.Thinking, m.Thinking)
		base.ToolName, base.ToolCallID = m.ToolName, m.ToolCallID
		base.Synthetic, base.CreatedAt = m.Type != "normal", m.CreatedAt
		base.ToolCalls = mergeCalls(base.ToolCalls, before.ToolCalls, m.ToolCalls)
		out, at = append(out, base), append(at, i)
	}
	return out, at
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
