package anthropic

import (
	"slices"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/catalog"
)

// usualOutput is the limit of output tokens if none is configured. The protocol has no default.
const usualOutput = 32_000

// room is the number of output tokens reserved for the answer, in addition to the thinking budget.
const room = 4096

var budgets = map[llm.Think]int64{llm.ThinkLow: 2048, llm.ThinkMedium: 8192, llm.ThinkOn: 8192, llm.ThinkHigh: 24_576}

var efforts = map[llm.Think]anthropic.OutputConfigEffort{
	llm.ThinkLow: anthropic.OutputConfigEffortLow, llm.ThinkMedium: anthropic.OutputConfigEffortMedium,
	llm.ThinkHigh: anthropic.OutputConfigEffortHigh,
}

func (d details) defaultOutput() int {
	if d.output == 0 {
		return usualOutput
	}
	return min(d.output, usualOutput)
}

// think requests thinking if the model is capable of it. It then removes Temperature, TopP and TopK, which cannot be combined
// with thinking.
func (d details) think(out *anthropic.MessageNewParams, amount llm.Think) {
	budget, asked := budgets[amount]
	unable := d.model.Family == "claude" && !slices.Contains(d.model.Capabilities, catalog.Thinking)
	switch {
	case !asked || unable:
		return
	case d.adaptive:
		out.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}
		out.OutputConfig.Effort = efforts[amount]
	case !resumable(out.Messages):
		return
	default:
		out.MaxTokens = max(out.MaxTokens, budget+room)
		if d.output > 0 {
			out.MaxTokens = min(out.MaxTokens, int64(d.output))
		}
		if budget = min(budget, out.MaxTokens-1); budget < 1024 {
			return
		}
		out.Thinking = anthropic.ThinkingConfigParamOfEnabled(budget)
	}
	out.Temperature, out.TopP, out.TopK = param.Opt[float64]{}, param.Opt[float64]{}, param.Opt[int64]{}
}

// resumable reports whether the model may think between its tool calls. The service requires that the message with the calls
// begins with thinking. That is not so if another model, or the same model without thinking, made the calls.
func resumable(messages []anthropic.MessageParam) bool {
	if len(messages) < 2 {
		return true
	}
	content := messages[len(messages)-2].Content
	calls := slices.ContainsFunc(content, func(b anthropic.ContentBlockParamUnion) bool { return b.OfToolUse != nil })
	return !calls || content[0].OfThinking != nil || content[0].OfRedactedThinking != nil
}
