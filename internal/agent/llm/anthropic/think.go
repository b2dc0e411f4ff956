package anthropic

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
)

// usualOutput is the limit of output tokens if none is configured. The protocol has no default.
const usualOutput = 32_000

// room is the number of output tokens reserved for the answer, in addition to the thinking budget.
const room = 4096

var budgets = map[llm.Think]int{llm.ThinkLow: 2048, llm.ThinkMedium: 8192, llm.ThinkOn: 8192, llm.ThinkHigh: 24_576}

var efforts = map[llm.Think]string{llm.ThinkLow: "low", llm.ThinkMedium: "medium", llm.ThinkHigh: "high"}

func (d details) defaultOutput() int {
	if d.output == 0 {
		return usualOutput
	}
	return min(d.output, usualOutput)
}

// think requests thinking if the model is capable of it. It then removes Temperature, TopP and TopK, which cannot be combined
// with thinking.
func (d details) think(out *request, amount llm.Think) {
	budget, asked := budgets[amount]
	unable := d.model.Family == "claude" && !slices.Contains(d.model.Capabilities, catalog.Thinking)
	switch {
	case !asked || unable:
		return
	case d.adaptive:
		out.Thinking = &thinkingConfig{Type: "adaptive", Display: "summarized"}
		if effort := efforts[amount]; effort != "" {
			out.OutputConfig = &outputConfig{Effort: effort}
		}
	case !resumable(out.Messages):
		return
	default:
		out.MaxTokens = max(out.MaxTokens, budget+room)
		if d.output > 0 {
			out.MaxTokens = min(out.MaxTokens, d.output)
		}
		if budget = min(budget, out.MaxTokens-1); budget < 1024 {
			return
		}
		out.Thinking = &thinkingConfig{Type: "enabled", Budget: budget}
	}
	out.Temperature, out.TopP, out.TopK = nil, nil, nil
}

// resumable reports whether the model may think between its tool calls. The service requires that the message with the calls
// begins with thinking. That is not so if another model, or the same model without thinking, made the calls.
func resumable(messages []message) bool {
	if len(messages) < 2 {
		return true
	}
	content := messages[len(messages)-2].Content
	calls := slices.ContainsFunc(content, func(b block) bool { return b.Type == "tool_use" })
	return !calls || content[0].Type == "thinking" || content[0].Type == "redacted_thinking"
}
