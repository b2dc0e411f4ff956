package limit

import "github.com/idelchi/aura/sdk"

// MessageSize returns the size of the texts of a message, in bytes.
func MessageSize(m sdk.Message) int {
	n := len(m.Content) + len(m.Thinking)
	for _, call := range m.ToolCalls {
		n += argsSize(call.Arguments)
	}
	return n
}

// ShortMessages shortens the oldest messages of a list that takes more than size bytes. The newest message is never shortened.
// The set of shortened messages changes only when the list has grown by half of size, so that a list and its continuation have
// the same beginning. ShortMessages does not modify list.
func ShortMessages(list []sdk.Message, size int) []sdk.Message {
	total := 0
	for _, m := range list {
		total += MessageSize(m)
	}
	over := total - size
	if over <= 0 || len(list) == 0 {
		return list
	}
	step := max(size/2, 1)
	over = (over + step - 1) / step * step
	out := append(make([]sdk.Message, 0, len(list)), list...)
	for i := range out[:len(out)-1] {
		if over <= 0 {
			break
		}
		if out[i].Role == "system" {
			// A plugin that extends the system prompt must not lose the rest of the prompt.
			continue
		}
		over -= MessageSize(out[i])
		out[i] = shortMessage(out[i])
	}
	return out
}

func shortMessage(m sdk.Message) sdk.Message {
	m.Content, m.Thinking = Shorten(m.Content, shortText), Shorten(m.Thinking, shortText)
	calls := append([]sdk.MessageToolCall(nil), m.ToolCalls...)
	for i := range calls {
		if args, ok := shortValue(calls[i].Arguments).(map[string]any); ok && calls[i].Arguments != nil {
			calls[i].Arguments = args
		}
	}
	m.ToolCalls = calls
	return m
}

func argsSize(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case map[string]any:
		n := 0
		for key, each := range v {
			n += len(key) + argsSize(each)
		}
		return n
	case []any:
		n := 0
		for _, each := range v {
			n += argsSize(each)
		}
		return n
	default:
		return 8
	}
}
