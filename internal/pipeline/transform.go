package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Transform hands the messages from one handler of TransformMessages to the next, in the order of the source, and returns what the last one made of
// them. If a handler fails or returns messages that no model would take, the messages are returned as they came in and the
// handlers after it are not asked. The estimate fills in Tokens of what a handler returned.
func Transform(
	ctx context.Context, src Source, in sdk.TransformContext, estimate func(sdk.Message) int, report Report,
) []sdk.Message {
	row, _ := hookpoint.Lookup(hookpoint.TransformMessages)
	r := runner{point: row, report: report}
	if src != nil {
		r.handlers = src.Handlers(row.Name)
	}
	original := in.Messages
	current := original
	for _, h := range r.handlers {
		in.Messages = copyMessages(current)
		a := r.call(ctx, h, in)
		if a.err == nil && a.result == nil {
			continue
		}
		out, err := transformed(a, original)
		if err != nil {
			r.failed(ctx, h.Name(), err)
			return original
		}
		for i := range out {
			out[i].Tokens = estimate(out[i])
		}
		current = out
	}
	return current
}

// transformed returns the messages of an answer if they may be sent.
func transformed(a answer, original []sdk.Message) ([]sdk.Message, error) {
	if a.err != nil {
		return nil, a.err
	}
	out, ok := a.result.([]sdk.Message)
	if !ok {
		return nil, fmt.Errorf("reading the result of %s: got %T, want []sdk.Message", hookpoint.TransformMessages, a.result)
	}
	if err := CheckMessages(original, out); err != nil {
		return nil, fmt.Errorf("dropping the result of %s: %w", hookpoint.TransformMessages, err)
	}
	return copyMessages(out), nil
}

// CheckMessages reports why transformed messages may not be sent in place of the original ones, if so.
func CheckMessages(original, transformed []sdk.Message) error {
	if len(transformed) == 0 {
		return errors.New("no message is left; return at least one")
	}
	if len(original) > 0 && original[0].Role == "system" && transformed[0].Role != "system" {
		return fmt.Errorf("the first message is of role %q; keep the system prompt first", transformed[0].Role)
	}
	calls := map[string]bool{}
	for i, m := range transformed {
		switch m.Role {
		case "assistant":
			for _, call := range m.ToolCalls {
				calls[call.ID] = true
			}
		case "tool":
			if !calls[m.ToolCallID] {
				return fmt.Errorf("message %d is the result of tool call %q, which no earlier message makes; "+
					"remove a call and its result together", i+1, m.ToolCallID)
			}
		case "system", "user":
		default:
			return fmt.Errorf("message %d is of role %q; use system, user, assistant or tool", i+1, m.Role)
		}
	}
	return nil
}

func copyMessages(messages []sdk.Message) []sdk.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for j := range out[i].ToolCalls {
			out[i].ToolCalls[j].Arguments = copyMap(out[i].ToolCalls[j].Arguments)
		}
	}
	return out
}

// copyMap copies a JSON-like value as deep as its maps and slices go. A nil map stays nil.
func copyMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = copyValue(v)
	}
	return out
}

func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return copyMap(v)
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = copyValue(v[i])
		}
		return out
	default:
		return v
	}
}
