package hookpoint

import (
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/sdk"
)

// CheckMessages returns an error if the transformed messages must not replace the original ones.
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

// copyMap returns a deep copy of a JSON-like value. A nil map stays nil.
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
