package openai

import (
	"encoding/base64"
	"encoding/json"
	"path/filepath"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/dialogue"
)

var limits = dialogue.Rules{MaxID: 40, MaxName: 64}

// params builds a request. req.Tools must come from dialogue.Tools.
func (p *Provider) params(req llm.Request) openai.ChatCompletionNewParams {
	system, rest := dialogue.Prepare(req.Messages, limits)
	out := openai.ChatCompletionNewParams{
		Model:         req.Model,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if system != "" {
		out.Messages = append(out.Messages, openai.SystemMessage(system))
	}
	for _, m := range rest {
		out.Messages = append(out.Messages, message(m))
	}
	if len(rest) == 0 {
		for _, m := range dialogue.Turns(nil)[0].Messages {
			out.Messages = append(out.Messages, message(m))
		}
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, definition(tool))
	}
	extra := map[string]any{}
	p.setKnobs(&out, req.Generation, extra)
	p.think(&out, req, extra)
	if len(extra) > 0 {
		out.SetExtraFields(extra)
	}
	return out
}

func message(m llm.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case llm.RoleTool:
		return openai.ToolMessage(m.Content, m.ToolCallID)
	case llm.RoleAssistant:
		return assistant(m)
	default:
		return user(m)
	}
}

// user sends the images and PDF files before the text. A message without them is plain text, which every server accepts.
func user(m llm.Message) openai.ChatCompletionMessageParamUnion {
	if len(m.Parts) == 0 {
		return openai.UserMessage(m.Content)
	}
	var content []openai.ChatCompletionContentPartUnionParam
	for _, part := range m.Parts {
		data := "data:" + part.Type + ";base64," + base64.StdEncoding.EncodeToString(part.Data)
		if part.Image() {
			content = append(content, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: data}))
		} else {
			content = append(content, openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
				FileData: param.NewOpt(data), Filename: param.NewOpt(filepath.Base(part.Name)),
			}))
		}
	}
	if m.Content != "" {
		content = append(content, openai.TextContentPart(m.Content))
	}
	return openai.UserMessage(content)
}

// assistant omits thinking, because hardly any server accepts it back.
func assistant(m llm.Message) openai.ChatCompletionMessageParamUnion {
	out := openai.ChatCompletionAssistantMessageParam{}
	if m.Content != "" {
		out.Content.OfString = param.NewOpt(m.Content)
	}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: call.Name, Arguments: string(call.Arguments),
				},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &out}
}

// definition encodes the tool itself, because the library would change the numbers in the schema.
func definition(tool llm.ToolDefinition) openai.ChatCompletionToolUnionParam {
	function := struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}{tool.Name, tool.Description, tool.Parameters}
	return openai.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](function))
}

// setKnobs sets the parameters that the server supports. OpenAI renamed max_tokens to max_completion_tokens; other servers
// still use the old name.
func (p *Provider) setKnobs(out *openai.ChatCompletionNewParams, g llm.Generation, extra map[string]any) {
	float := func(v *float64) (opt param.Opt[float64]) {
		if v != nil {
			opt = param.NewOpt(*v)
		}
		return opt
	}
	out.Temperature, out.TopP = float(g.Temperature), float(g.TopP)
	out.FrequencyPenalty, out.PresencePenalty = float(g.FrequencyPenalty), float(g.PresencePenalty)
	if g.Seed != nil {
		out.Seed = param.NewOpt(int64(*g.Seed))
	}
	out.Stop.OfStringArray = g.Stop
	if g.TopK != nil && p.flavor != OpenAI {
		extra["top_k"] = *g.TopK
	}
	switch limit := g.MaxOutputTokens; {
	case limit == nil || *limit <= 0:
	case p.flavor == OpenAI:
		out.MaxCompletionTokens = param.NewOpt(int64(*limit))
	default:
		out.MaxTokens = param.NewOpt(int64(*limit))
	}
}
