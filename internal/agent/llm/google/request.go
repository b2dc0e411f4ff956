package google

import (
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/base/files"
)

// unsigned replaces the signature of a call that was made by another service's model. Gemini 3 and later reject calls without a
// signature.
const unsigned = "skip_thought_signature_validator"

// Request implements backend.Protocol.
func (p protocol) Request(system string, req llm.Request) (string, any, error) {
	address, err := p.of(req.Model)
	if err != nil {
		return "", nil, err
	}
	out := request{Config: config{Stop: req.Generation.Stop, Thinking: thinking(req.Model, req.Think)}}
	for _, turn := range dialogue.Turns(req.Messages) {
		out.Contents = append(out.Contents, contentOf(turn, !older(req.Model)))
	}
	if strings.TrimSpace(system) != "" {
		out.System = &content{Parts: []part{{Text: system}}}
	}
	if len(req.Tools) > 0 {
		out.Tools = []tools{{Functions: declarations(req.Tools)}}
	}
	if req.Search > 0 {
		out.Tools = []tools{{Search: &struct{}{}}}
	}
	out.Config.set(req.Generation)
	return address + ":streamGenerateContent?alt=sse", out, nil
}

func (c *config) set(g llm.Generation) {
	c.Temperature, c.TopP, c.TopK = g.Temperature, g.TopP, g.TopK
	c.FrequencyPenalty, c.PresencePenalty = g.FrequencyPenalty, g.PresencePenalty
	if g.MaxOutputTokens != nil {
		c.MaxOutputTokens = min(*g.MaxOutputTokens, 1<<30)
	}
	if g.Seed != nil {
		c.Seed = new(*g.Seed & 0x7fffffff)
	}
}

func declarations(tools []llm.ToolDefinition) []declaration {
	var out []declaration
	for _, tool := range tools {
		out = append(out, declaration{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
	}
	return out
}

// contentOf converts a turn. If signed is set, the first call of each message needs a signature.
func contentOf(turn dialogue.Turn, signed bool) content {
	out := content{Role: "model"}
	if turn.User {
		out.Role = "user"
	}
	for _, m := range turn.Messages {
		if m.Role == llm.RoleTool {
			out.Parts = append(out.Parts, part{FunctionResponse: &functionResponse{
				ID: m.ToolCallID, Name: m.ToolName, Response: map[string]string{"output": m.Content},
			}})
			continue
		}
		if m.Role == llm.RoleUser {
			for _, p := range m.Parts {
				out.Parts = append(out.Parts, part{InlineData: &blob{MIMEType: mediaType(p), Data: p.Data}})
			}
		}
		if strings.TrimSpace(m.Content) != "" {
			out.Parts = append(out.Parts, part{Text: m.Content})
		}
		for i, call := range m.ToolCalls {
			// dialogue.Prepare has made the arguments an object.
			p := part{FunctionCall: &functionCall{ID: call.ID, Name: call.Name, Args: call.Arguments}, ThoughtSignature: call.Signature}
			if i == 0 && signed && len(call.Signature) == 0 {
				p.ThoughtSignature = []byte(unsigned)
			}
			out.Parts = append(out.Parts, p)
		}
	}
	return out
}

// mediaType returns the media type of a part by the name that the service documents.
func mediaType(p llm.Part) string {
	if p.Type == files.MP3 {
		return "audio/mp3"
	}
	return p.Type
}

// older reports whether a model is older than Gemini 3.
func older(model string) bool {
	model = strings.TrimPrefix(model, "models/")
	return strings.HasPrefix(model, "gemini-1") || strings.HasPrefix(model, "gemini-2")
}

var budgets = map[llm.Think]int{llm.ThinkOff: 0, llm.ThinkLow: 2048, llm.ThinkMedium: 8192, llm.ThinkHigh: 24_576, llm.ThinkOn: -1}

var levels = map[llm.Think]string{llm.ThinkOff: "LOW", llm.ThinkLow: "LOW", llm.ThinkMedium: "MEDIUM", llm.ThinkHigh: "HIGH"}

// thinking requests an amount of thinking: as a budget up to Gemini 2.5, and as a level from Gemini 3 on. Thinking cannot be
// switched off completely for gemini-2.5-pro and for Gemini 3 and later.
func thinking(model string, amount llm.Think) *thinkingConfig {
	model = strings.TrimPrefix(model, "models/")
	out := &thinkingConfig{Include: amount != llm.ThinkOff}
	switch {
	case amount == "", !strings.HasPrefix(model, "gemini-"), older(model) && !strings.HasPrefix(model, "gemini-2.5"):
		return nil
	case !older(model):
		out.Level = levels[amount]
	case amount == llm.ThinkOff && strings.HasPrefix(model, "gemini-2.5-pro"):
		out.Budget = new(128)
	default:
		out.Budget = new(budgets[amount])
	}
	return out
}
