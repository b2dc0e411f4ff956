package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/dialogue"
)

var limits = dialogue.Rules{MaxID: 64, MaxName: 128}

// params builds a request. req.Tools must come from dialogue.Tools.
func (p *Provider) params(req llm.Request) anthropic.MessageNewParams {
	system, rest := dialogue.Prepare(req.Messages, limits)
	turns := dialogue.Turns(rest)
	d := p.details(req.Model)
	out := anthropic.MessageNewParams{Model: req.Model, MaxTokens: int64(d.defaultOutput())}
	for _, turn := range turns {
		out.Messages = append(out.Messages, message(turn))
	}
	if strings.TrimSpace(system) != "" {
		out.System = []anthropic.TextBlockParam{{Text: system, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	keepFrom(out.Messages)
	setTools(&out, req.Tools, rest)
	setKnobs(&out, req.Generation)
	d.think(&out, req.Think)
	return out
}

func setKnobs(out *anthropic.MessageNewParams, g llm.Generation) {
	if g.MaxOutputTokens != nil && *g.MaxOutputTokens > 0 {
		out.MaxTokens = int64(*g.MaxOutputTokens)
	}
	if g.Temperature != nil {
		out.Temperature = param.NewOpt(*g.Temperature)
	}
	if g.TopP != nil {
		out.TopP = param.NewOpt(*g.TopP)
	}
	if g.TopK != nil {
		out.TopK = param.NewOpt(int64(*g.TopK))
	}
	out.StopSequences = g.Stop
}

// keepFrom asks the service to cache everything up to the last block. The next request has the same beginning and becomes
// cheaper.
func keepFrom(messages []anthropic.MessageParam) {
	content := messages[len(messages)-1].Content
	switch last := content[len(content)-1]; {
	case last.OfText != nil:
		last.OfText.CacheControl = anthropic.NewCacheControlEphemeralParam()
	case last.OfToolResult != nil:
		last.OfToolResult.CacheControl = anthropic.NewCacheControlEphemeralParam()
	case last.OfImage != nil:
		last.OfImage.CacheControl = anthropic.NewCacheControlEphemeralParam()
	case last.OfDocument != nil:
		last.OfDocument.CacheControl = anthropic.NewCacheControlEphemeralParam()
	}
}

func message(turn dialogue.Turn) anthropic.MessageParam {
	var content []anthropic.ContentBlockParamUnion
	for _, m := range turn.Messages {
		content = append(content, blocks(m)...)
	}
	if turn.User {
		return anthropic.NewUserMessage(content...)
	}
	return anthropic.NewAssistantMessage(content...)
}

func blocks(m llm.Message) []anthropic.ContentBlockParamUnion {
	said := strings.TrimSpace(m.Content) != ""
	if m.Role == llm.RoleTool {
		result := anthropic.ToolResultBlockParam{ToolUseID: m.ToolCallID}
		if said {
			result.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: m.Content}}}
		}
		return []anthropic.ContentBlockParamUnion{{OfToolResult: &result}}
	}
	var out []anthropic.ContentBlockParamUnion
	for _, b := range thinking(m) {
		if b.Redacted != "" {
			out = append(out, anthropic.NewRedactedThinkingBlock(b.Redacted))
		} else {
			out = append(out, anthropic.NewThinkingBlock(b.Signature, b.Text))
		}
	}
	out = append(out, parts(m)...)
	if said {
		out = append(out, anthropic.NewTextBlock(m.Content))
	}
	for _, call := range m.ToolCalls {
		out = append(out, anthropic.NewToolUseBlock(call.ID, call.Arguments, call.Name))
	}
	return out
}

// parts returns the blocks of a user's images and PDF files. The service recommends placing them before the text.
func parts(m llm.Message) []anthropic.ContentBlockParamUnion {
	if m.Role != llm.RoleUser {
		return nil
	}
	var out []anthropic.ContentBlockParamUnion
	for _, part := range m.Parts {
		data := base64.StdEncoding.EncodeToString(part.Data)
		if part.Image() {
			out = append(out, anthropic.NewImageBlockBase64(part.Type, data))
		} else {
			out = append(out, anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{Data: data}))
		}
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
func setTools(out *anthropic.MessageNewParams, tools []llm.ToolDefinition, messages []llm.Message) {
	if len(tools) == 0 {
		tools = pastTools(messages)
		if len(tools) > 0 {
			none := anthropic.NewToolChoiceNoneParam()
			out.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &none}
		}
	}
	for _, tool := range tools {
		// The service does not allow these keywords at the top level of a schema.
		schema := dialogue.Schema(tool.Parameters, "oneOf", "anyOf", "allOf")
		offered := anthropic.ToolParam{Name: tool.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema)}
		if tool.Description != "" {
			offered.Description = param.NewOpt(tool.Description)
		}
		out.Tools = append(out.Tools, anthropic.ToolUnionParam{OfTool: &offered})
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
