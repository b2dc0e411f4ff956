package openai

import (
	"encoding/base64"
	"path/filepath"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/base/files"
)

// Request implements backend.Protocol.
func (p protocol) Request(system string, req llm.Request) (string, any, error) {
	if req.Search > 0 {
		return p.address + "/responses", searchRequest(system, req), nil
	}
	out := request{Model: req.Model, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}}
	if system != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: system})
	}
	if len(req.Messages) == 0 {
		req.Messages = dialogue.Turns(nil)[0].Messages
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, messageOf(m))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{Type: "function", Function: definition{Name: t.Name, Description: t.Description, Parameters: t.Parameters}})
	}
	p.setKnobs(&out, req.Generation)
	p.think(&out, req)
	return p.address + "/chat/completions", out, nil
}

func messageOf(m llm.Message) message {
	switch m.Role {
	case llm.RoleTool:
		return message{Role: "tool", Content: m.Content, ToolCallID: m.ToolCallID}
	case llm.RoleAssistant:
		return assistant(m)
	default:
		return user(m)
	}
}

// user sends the media files before the text. A message without them is plain text, which every server accepts.
func user(m llm.Message) message {
	if len(m.Parts) == 0 {
		return message{Role: "user", Content: m.Content}
	}
	var content []part
	for _, p := range m.Parts {
		content = append(content, partOf(p))
	}
	if m.Content != "" {
		content = append(content, part{Type: "text", Text: m.Content})
	}
	return message{Role: "user", Content: content}
}

func partOf(p llm.Part) part {
	data := base64.StdEncoding.EncodeToString(p.Data)
	address := "data:" + p.Type + ";base64," + data
	switch {
	case p.Image():
		return part{Type: "image_url", Image: &image{URL: address}}
	case p.Audio():
		return part{Type: "input_audio", Audio: &audio{Data: data, Format: files.Ending(p.Type)}}
	default:
		return part{Type: "file", File: &file{Data: address, Name: filepath.Base(p.Name)}}
	}
}

// assistant omits thinking, because hardly any server accepts it back.
func assistant(m llm.Message) message {
	out := message{Role: "assistant"}
	if m.Content != "" {
		out.Content = m.Content
	}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, toolCall{ID: call.ID, Type: "function", Function: function{Name: call.Name, Arguments: string(call.Arguments)}})
	}
	return out
}

// setKnobs sets the parameters that the server supports. OpenAI renamed max_tokens to max_completion_tokens; other servers
// still use the old name.
func (p protocol) setKnobs(out *request, g llm.Generation) {
	out.Temperature, out.TopP = g.Temperature, g.TopP
	out.FrequencyPenalty, out.PresencePenalty = g.FrequencyPenalty, g.PresencePenalty
	out.Seed, out.Stop = g.Seed, g.Stop
	if p.flavor != OpenAI {
		out.TopK = g.TopK
	}
	switch limit := g.MaxOutputTokens; {
	case limit == nil || *limit <= 0:
	case p.flavor == OpenAI:
		out.MaxCompletionTokens = *limit
	default:
		out.MaxTokens = *limit
	}
}
