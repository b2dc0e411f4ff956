package conversation

import (
	"reflect"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// estimate returns the estimated number of tokens in a message: its text, its files, its thinking and its calls.
func estimate(m llm.Message) int {
	n := tokens.Estimate(m.Content) + partTokens(m.Parts) + tokens.Estimate(m.Thinking)
	for _, call := range m.ToolCalls {
		n += tokens.Estimate(call.Name) + tokens.Estimate(string(call.Arguments))
	}
	return n
}

// sizeOf returns the number of bytes of everything that estimate counts. It is never less than the number of tokens. A file
// counts with its tokens, because its bytes say little about them.
func sizeOf(m llm.Message) int {
	n := len(m.Content) + partTokens(m.Parts) + len(m.Thinking)
	for _, call := range m.ToolCalls {
		n += len(call.Name) + len(call.Arguments)
	}
	return n
}

// estimateShown returns a version of estimate for messages that plugins return. A message that plugins left unchanged is not
// counted again. A changed message keeps the files of the message with the same position in messages.
func estimateShown(messages []llm.Message, shown []sdk.Message) func(sdk.Message) int {
	known := make(map[string]sdk.Message, len(shown))
	parts := map[string][]llm.Part{}
	for i, m := range shown {
		known[m.ID] = m
		if len(messages[i].Parts) > 0 {
			parts[m.ID] = messages[i].Parts
		}
	}
	return func(m sdk.Message) int {
		before, ok := known[m.ID]
		if ok && before.Content == m.Content && before.Thinking == m.Thinking && reflect.DeepEqual(before.ToolCalls, m.ToolCalls) {
			return before.Tokens
		}
		n := tokens.Estimate(m.Content) + partTokens(parts[m.ID]) + tokens.Estimate(m.Thinking)
		for _, call := range m.ToolCalls {
			n += tokens.Estimate(call.Name) + tokens.Estimate(string(encoded(call.Arguments)))
		}
		return n
	}
}

// schemaText returns everything that a model is sent about a tool.
func schemaText(d tool.Definition) string {
	return d.Name + "\n" + describe(d) + "\n" + string(d.Parameters)
}
