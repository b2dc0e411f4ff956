package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

// NewOpenAI starts a server for the chat completions protocol.
func NewOpenAI(tb testing.TB, replies ...Reply) *Server {
	tb.Helper()
	return start(tb, openAI{}, "/v1", replies)
}

type openAI struct{}

func (openAI) path(path string) bool { return path == "/v1/chat/completions" || path == searchPath }

func (openAI) refusal(message string) string {
	return encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}})
}

func (openAI) failure(body string) string { return "data: " + body + "\n\n" }

type object = map[string]any

func (r openAIRequest) events(n int, reply Reply) (said, end []string) {
	event := func(fields object) string {
		chunk := object{"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion.chunk", "created": 1, "model": r.Model}
		maps.Copy(chunk, fields)
		return "data: " + encode(chunk) + "\n\n"
	}
	delta := func(fields object, finish any) string {
		return event(object{"choices": []object{{"index": 0, "delta": fields, "finish_reason": finish}}})
	}
	said = append(said, delta(object{"role": "assistant", "content": ""}, nil))
	for _, piece := range pieces(reply.Thinking) {
		said = append(said, delta(object{"reasoning_content": piece}, nil))
	}
	for _, piece := range pieces(reply.Text) {
		said = append(said, delta(object{"content": piece}, nil))
	}
	for i, call := range reply.ToolCalls {
		said = append(said, delta(object{"tool_calls": []object{
			{"index": i, "id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": ""}},
		}}, nil))
		for _, piece := range pieces(call.Arguments) {
			said = append(said, delta(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil))
		}
	}
	end = append(end, delta(object{}, reply.stop("stop", "tool_calls")))
	if r.StreamOptions != nil && r.StreamOptions.IncludeUsage {
		usage := reply.usage()
		end = append(end, event(object{"choices": []object{}, "usage": object{
			"prompt_tokens": usage.Input, "completion_tokens": usage.Output, "total_tokens": usage.Input + usage.Output,
			"prompt_tokens_details": object{"cached_tokens": usage.CacheRead},
		}}))
	}
	return said, append(end, "data: [DONE]\n\n")
}

// searches returns 0: chat completions cannot search.
func (openAIRequest) searches() int { return 0 }

func (r openAIRequest) tools() []tool {
	var out []tool
	if r.Tools != nil {
		for _, t := range *r.Tools {
			out = append(out, tool{t.Function.Name, t.Function.Parameters})
		}
	}
	return out
}

func (r openAIRequest) lines() []string {
	var out []string
	for _, m := range r.Messages {
		text, _ := m.text()
		out = append(out, m.attached()...)
		switch {
		case m.Role == "tool":
			out = append(out, fmt.Sprintf("result %s: %s", m.ToolCallID, text))
		case text != "" || len(m.ToolCalls) == 0:
			out = append(out, m.Role+": "+text)
		}
		for _, call := range m.ToolCalls {
			out = append(out, fmt.Sprintf("call %s: %s %s", call.ID, call.Function.Name, call.Function.Arguments))
		}
	}
	return out
}

// openAIPart is a part of a content. The fields beside Type depend on it; check checks them.
type openAIPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
	Audio *struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File *struct {
		Data string `json:"file_data"`
		Name string `json:"filename"`
	} `json:"file"`
}

// capabilities maps the types of parts to the capabilities that they need.
var capabilities = map[string]string{"image_url": llm.Vision, "input_audio": llm.Audio, "file": llm.Files}

// media returns the file of a part as a data URL, or an empty string if the part is text.
func (p openAIPart) media() string {
	switch {
	case p.ImageURL != nil:
		return p.ImageURL.URL
	case p.Audio != nil:
		return "data:" + map[string]string{"wav": files.WAV, "mp3": files.MP3}[p.Audio.Format] + ";base64," + p.Audio.Data
	case p.File != nil:
		return p.File.Data
	default:
		return ""
	}
}

func (p openAIPart) check() error {
	set := []bool{p.Text != "", p.ImageURL != nil, p.Audio != nil, p.File != nil}
	for i, kind := range []string{"text", "image_url", "input_audio", "file"} {
		if err := want(set[i] == (p.Type == kind), "content: part of type %q", p.Type); err != nil {
			return err
		}
	}
	if p.Type == "text" {
		return nil
	}
	mediaType, data, err := dataURL(p.media())
	return first(err, checkMedia(mediaType, data, capabilities[p.Type]), want(p.File == nil || p.File.Name != "", "file.filename: missing"))
}

// text returns the content in either of its two forms.
func (m openAIMessage) text() (string, error) {
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil
	}
	parts, err := m.parts()
	if err != nil {
		return "", err
	}
	var texts []string
	for _, part := range parts {
		if err := first(part.check(), want(part.Type == "text" || m.Role == "user", "content: part of type %q in a message of role %s", part.Type, m.Role)); err != nil {
			return "", err
		}
		if part.Type == "text" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n\n"), want(len(parts) > 0, "content: must not be an empty list")
}

// parts returns the content if it is a list.
func (m openAIMessage) parts() ([]openAIPart, error) {
	var parts []openAIPart
	if err := strictly(m.Content, &parts); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return parts, nil
}

// attached returns a line for each file of the message.
func (m openAIMessage) attached() []string {
	parts, err := m.parts()
	if err != nil {
		return nil
	}
	var out []string
	for _, part := range parts {
		if mediaType, data, err := dataURL(part.media()); err == nil {
			out = append(out, mediaLine(mediaType, data))
		}
	}
	return out
}
