package anthropic

import (
	"slices"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/catalog"
)

// usualOutput is the limit of output tokens if nobody sets one: the protocol has no default.
const usualOutput = 32_000

// room is what is left for the answer beside a budget for thinking, in tokens.
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

// think asks a model that can for thinking. A model that thinks takes no other knobs.
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

// resumable reports whether a model may think in the middle of its tool calls: the service wants it to have begun them by
// thinking, which one that was switched to has not.
func resumable(messages []anthropic.MessageParam) bool {
	if len(messages) < 2 {
		return true
	}
	content := messages[len(messages)-2].Content
	calls := slices.ContainsFunc(content, func(b anthropic.ContentBlockParamUnion) bool { return b.OfToolUse != nil })
	return !calls || content[0].OfThinking != nil || content[0].OfRedactedThinking != nil
}
