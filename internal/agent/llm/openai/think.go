package openai

import (
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
)

// think requests an amount of thinking in the server's own terms.
func (p protocol) think(out *request, req llm.Request) {
	amount := req.Think
	if p.flavor == OpenAI {
		out.ReasoningEffort = effort(req)
		return
	}
	switch {
	case amount == "":
	case p.flavor == OpenRouter && (amount == llm.ThinkOn || amount == llm.ThinkOff):
		out.Reasoning = map[string]any{"enabled": amount == llm.ThinkOn}
	case p.flavor == OpenRouter:
		out.Reasoning = map[string]any{"effort": string(amount)}
	case p.flavor == LlamaCPP:
		out.TemplateArguments = templateArguments(amount)
	case amount == llm.ThinkOff && p.flavor == Ollama:
		out.ReasoningEffort = "none"
	case amount == llm.ThinkOn && p.flavor == Ollama:
		out.ReasoningEffort = "medium"
	case amount != llm.ThinkOn && amount != llm.ThinkOff:
		out.ReasoningEffort = string(amount)
	}
}

// templateArguments returns the arguments for the chat templates of local models.
func templateArguments(amount llm.Think) map[string]any {
	out := map[string]any{"enable_thinking": amount != llm.ThinkOff}
	if amount != llm.ThinkOn && amount != llm.ThinkOff {
		out["reasoning_effort"] = string(amount)
	}
	return out
}

// effort returns the reasoning effort for a model of OpenAI. From GPT-5.2 on, models accept tools over this protocol only if
// they do not think. Before GPT-5.1, thinking cannot be switched off.
func effort(req llm.Request) string {
	version := generation(req.Model)
	switch {
	case version >= 502 && len(req.Tools) > 0:
		return "none"
	case req.Think == llm.ThinkOff && version >= 501:
		return "none"
	case req.Think == "", req.Think == llm.ThinkOn, req.Think == llm.ThinkOff:
		return ""
	default:
		return string(req.Think)
	}
}

// generation returns the version of a model, such as 502 for gpt-5.2, or 0 if the name has no version.
func generation(name string) int {
	rest, ok := strings.CutPrefix(name, "gpt-")
	if !ok {
		return 0
	}
	rest, _, _ = strings.Cut(rest, "-")
	first, second, _ := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	// A missing or unreadable minor version counts as 0.
	minor, _ := strconv.Atoi(second)
	return 100*major + minor
}
