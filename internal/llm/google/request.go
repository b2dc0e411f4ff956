package google

import (
	"bytes"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/dialogue"
)

var limits = dialogue.Rules{MaxID: 64, MaxName: 64}

// unsigned replaces the signature of a call that was made by another service's model. Gemini 3 and later reject calls without a
// signature.
const unsigned = "skip_thought_signature_validator"

// params builds a request. req.Tools must come from dialogue.Tools.
func params(req llm.Request) ([]*genai.Content, *genai.GenerateContentConfig) {
	system, rest := dialogue.Prepare(req.Messages, limits)
	var contents []*genai.Content
	for _, turn := range dialogue.Turns(rest) {
		contents = append(contents, content(turn, !older(req.Model)))
	}
	config := &genai.GenerateContentConfig{
		AutomaticContinuation: new(false), StopSequences: req.Generation.Stop, ThinkingConfig: thinking(req.Model, req.Think),
	}
	if strings.TrimSpace(system) != "" {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: system}}}
	}
	if len(req.Tools) > 0 {
		config.Tools = []*genai.Tool{{FunctionDeclarations: declarations(req.Tools)}}
	}
	setKnobs(config, req.Generation)
	return contents, config
}

func setKnobs(config *genai.GenerateContentConfig, g llm.Generation) {
	float := func(v *float64) *float32 {
		if v == nil {
			return nil
		}
		return new(float32(*v))
	}
	config.Temperature, config.TopP = float(g.Temperature), float(g.TopP)
	config.FrequencyPenalty, config.PresencePenalty = float(g.FrequencyPenalty), float(g.PresencePenalty)
	if g.TopK != nil {
		config.TopK = new(float32(*g.TopK))
	}
	if g.MaxOutputTokens != nil {
		config.MaxOutputTokens = int32(min(*g.MaxOutputTokens, 1<<30))
	}
	if g.Seed != nil {
		config.Seed = new(int32(*g.Seed & 0x7fffffff))
	}
}

func declarations(tools []llm.ToolDefinition) []*genai.FunctionDeclaration {
	var out []*genai.FunctionDeclaration
	for _, tool := range tools {
		out = append(out, &genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description, ParametersJsonSchema: tool.Parameters})
	}
	return out
}

// content converts a turn. If signed is set, the first call of each message needs a signature.
func content(turn dialogue.Turn, signed bool) *genai.Content {
	out := &genai.Content{Role: genai.RoleModel}
	if turn.User {
		out.Role = genai.RoleUser
	}
	for _, m := range turn.Messages {
		if m.Role == llm.RoleTool {
			out.Parts = append(out.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{
				ID: m.ToolCallID, Name: m.ToolName, Response: map[string]any{"output": m.Content},
			}})
			continue
		}
		if m.Role == llm.RoleUser {
			for _, part := range m.Parts {
				out.Parts = append(out.Parts, &genai.Part{InlineData: &genai.Blob{MIMEType: part.Type, Data: part.Data}})
			}
		}
		if strings.TrimSpace(m.Content) != "" {
			out.Parts = append(out.Parts, &genai.Part{Text: m.Content})
		}
		for i, call := range m.ToolCalls {
			part := &genai.Part{FunctionCall: &genai.FunctionCall{ID: call.ID, Name: call.Name, Args: arguments(call)}, ThoughtSignature: call.Signature}
			if i == 0 && signed && len(call.Signature) == 0 {
				part.ThoughtSignature = []byte(unsigned)
			}
			out.Parts = append(out.Parts, part)
		}
	}
	return out
}

// arguments decodes the arguments of a call, which dialogue.Prepare has already made an object.
func arguments(call llm.ToolCall) map[string]any {
	var out map[string]any
	decoder := json.NewDecoder(bytes.NewReader(call.Arguments))
	decoder.UseNumber() // a float64 would change large integers
	if decoder.Decode(&out) != nil {
		return map[string]any{}
	}
	return out
}

// older reports whether a model is older than Gemini 3.
func older(model string) bool {
	model = strings.TrimPrefix(model, "models/")
	return strings.HasPrefix(model, "gemini-1") || strings.HasPrefix(model, "gemini-2")
}

var budgets = map[llm.Think]int32{llm.ThinkOff: 0, llm.ThinkLow: 2048, llm.ThinkMedium: 8192, llm.ThinkHigh: 24_576, llm.ThinkOn: -1}

var levels = map[llm.Think]genai.ThinkingLevel{
	llm.ThinkOff: genai.ThinkingLevelLow, llm.ThinkLow: genai.ThinkingLevelLow, llm.ThinkMedium: genai.ThinkingLevelMedium,
	llm.ThinkHigh: genai.ThinkingLevelHigh,
}

// thinking requests an amount of thinking: as a budget up to Gemini 2.5, and as a level from Gemini 3 on. Thinking cannot be
// switched off completely for gemini-2.5-pro and for Gemini 3 and later.
func thinking(model string, amount llm.Think) *genai.ThinkingConfig {
	model = strings.TrimPrefix(model, "models/")
	out := &genai.ThinkingConfig{IncludeThoughts: amount != llm.ThinkOff}
	switch {
	case amount == "", !strings.HasPrefix(model, "gemini-"), older(model) && !strings.HasPrefix(model, "gemini-2.5"):
		return nil
	case !older(model):
		out.ThinkingLevel = levels[amount]
	case amount == llm.ThinkOff && strings.HasPrefix(model, "gemini-2.5-pro"):
		out.ThinkingBudget = genai.Ptr[int32](128)
	default:
		out.ThinkingBudget = new(budgets[amount])
	}
	return out
}
