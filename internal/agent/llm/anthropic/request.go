package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
)

// Request implements backend.Protocol.
func (p *protocol) Request(system string, req llm.Request) (string, any, error) {
	d := p.details(req.Model)
	out := &request{Model: req.Model, MaxTokens: d.defaultOutput(), Stream: true}
	for _, turn := range dialogue.Turns(req.Messages) {
		out.Messages = append(out.Messages, messageOf(turn))
	}
	if strings.TrimSpace(system) != "" {
		out.System = []block{{Type: "text", Text: system, CacheControl: ephemeral}}
	}
	keepFrom(out.Messages)
	out.setTools(req.Tools, req.Messages)
	if req.Search > 0 {
		out.Tools = []tool{{Type: searchType, Name: searchName, MaxUses: req.Search}}
	}
	out.setKnobs(req.Generation)
	d.think(out, req.Think)
	return p.address + "messages", out, nil
}

func (r *request) setKnobs(g llm.Generation) {
	if g.MaxOutputTokens != nil && *g.MaxOutputTokens > 0 {
		r.MaxTokens = *g.MaxOutputTokens
	}
	r.Temperature, r.TopP, r.TopK, r.Stop = g.Temperature, g.TopP, g.TopK, g.Stop
}

// keepFrom asks the service to cache everything up to the last block. The next request has the same beginning and becomes
// cheaper.
func keepFrom(messages []message) {
	content := messages[len(messages)-1].Content
	switch last := &content[len(content)-1]; last.Type {
	case "text", "tool_result", "image", "document":
		last.CacheControl = ephemeral
	}
}

func messageOf(turn dialogue.Turn) message {
	out := message{Role: "assistant"}
	if turn.User {
		out.Role = "user"
	}
	for _, m := range turn.Messages {
		out.Content = append(out.Content, blocks(m)...)
	}
	return out
}

func blocks(m llm.Message) []block {
	said := strings.TrimSpace(m.Content) != ""
	text := block{Type: "text", Text: m.Content}
	if m.Role == llm.RoleTool {
		result := block{Type: "tool_result", ToolUseID: m.ToolCallID}
		if said {
			result.Content = []block{text}
		}
		return []block{result}
	}
	var out []block
	for _, b := range thinking(m) {
		if b.Redacted != "" {
			out = append(out, block{Type: "redacted_thinking", Data: b.Redacted})
		} else {
			out = append(out, block{Type: "thinking", Thinking: &b.Text, Signature: &b.Signature})
		}
	}
	out = append(out, parts(m)...)
	if said {
		out = append(out, text)
	}
	for _, call := range m.ToolCalls {
		out = append(out, block{Type: "tool_use", ID: call.ID, Name: call.Name, Input: call.Arguments})
	}
	return out
}

// parts returns the blocks of a user's media files. The service recommends placing them before the text.
func parts(m llm.Message) []block {
	if m.Role != llm.RoleUser {
		return nil
	}
	var out []block
	for _, part := range m.Parts {
		kind := "document"
		if part.Image() {
			kind = "image"
		}
		out = append(out, block{Type: kind, Source: &source{Type: "base64", MediaType: part.Type, Data: part.Data}})
	}
	return out
}

// thinking returns the thinking blocks of an assistant message, or nil if their texts no longer add up to Thinking.
func thinking(m llm.Message) []llm.ThinkingBlock {
	var text strings.Builder
	for _, b := range m.ThinkingBlocks {
		text.WriteString(b.Text)
	}
	if m.Role != llm.RoleAssistant || text.String() != m.Thinking {
		return nil
	}
	return m.ThinkingBlocks
}

// setTools adds the tools to the request. The service requires definitions for the tools of past calls, even if no tool is
// offered now.
func (r *request) setTools(tools []llm.ToolDefinition, messages []llm.Message) {
	if len(tools) == 0 {
		tools = pastTools(messages)
		if len(tools) > 0 {
			r.ToolChoice = &toolChoice{Type: "none"}
		}
	}
	for _, t := range tools {
		// The service does not allow these keywords at the top level of a schema.
		schema := dialogue.Schema(t.Parameters, "oneOf", "anyOf", "allOf")
		r.Tools = append(r.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
}

func pastTools(messages []llm.Message) []llm.ToolDefinition {
	var out []llm.ToolDefinition
	seen := map[string]bool{}
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			if !seen[call.Name] {
				seen[call.Name] = true
				out = append(out, llm.ToolDefinition{Name: call.Name, Description: "Not available now.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)})
			}
		}
	}
	return out
}
