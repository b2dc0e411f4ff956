package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// openAIRequest holds the fields that the server accepts in a chat completion, including those of compatible servers.
type openAIRequest struct {
	Model         string          `json:"model"`
	Messages      []openAIMessage `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools               *[]openAITool   `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	TopK                *int            `json:"top_k"`
	FrequencyPenalty    *float64        `json:"frequency_penalty"`
	PresencePenalty     *float64        `json:"presence_penalty"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Seed                *int            `json:"seed"`
	Stop                []string        `json:"stop"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	Reasoning           *struct {
		Effort  string `json:"effort"`
		Enabled *bool  `json:"enabled"`
	} `json:"reasoning"`
	ChatTemplateKwargs map[string]any `json:"chat_template_kwargs"`
}

type openAIMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type openAITool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

func (openAI) token(h http.Header) string {
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

func (openAI) parse(path string, body []byte) (question, error) {
	if path == searchPath {
		return parse[openAISearch](body)
	}
	return parse[openAIRequest](body)
}

func (r openAIRequest) check(req Request) error {
	return first(
		want(strings.HasPrefix(req.Header.Get("Content-Type"), "application/json"), "the content type must be application/json"),
		lowerCase(req.Body, "parameters", "chat_template_kwargs"),
		r.checkParameters(), r.checkTools(), r.checkMessages(),
	)
}

func (r openAIRequest) checkParameters() error {
	efforts := []string{"", "none", "minimal", "low", "medium", "high", "xhigh"}
	return first(
		want(r.Model != "", "you must provide a model parameter"),
		want(r.Stream, "stream: only streams are served here"),
		want(r.MaxTokens == nil || *r.MaxTokens > 0, "max_tokens: must be positive"),
		want(r.MaxCompletionTokens == nil || *r.MaxCompletionTokens > 0, "max_completion_tokens: must be positive"),
		want(r.MaxTokens == nil || r.MaxCompletionTokens == nil, "max_tokens and max_completion_tokens are both set"),
		want(slices.Contains(efforts, r.ReasoningEffort), "reasoning_effort: %q is not one of %q", r.ReasoningEffort, efforts),
		want(len(r.Stop) <= 4, "stop: at most 4"),
		within("temperature", r.Temperature, 0, 2), within("top_p", r.TopP, 0, 1),
		within("frequency_penalty", r.FrequencyPenalty, -2, 2), within("presence_penalty", r.PresencePenalty, -2, 2),
	)
}

func (r openAIRequest) checkTools() error {
	if r.Tools == nil {
		return want(len(r.ToolChoice) == 0 && r.ParallelToolCalls == nil, "tool_choice and parallel_tool_calls are only allowed with tools")
	}
	for i, tool := range *r.Tools {
		if tool.Type != "function" {
			return fmt.Errorf("tools[%d]: type: %q is not function", i, tool.Type)
		}
	}
	return first(want(len(*r.Tools) > 0, "tools: [] is too short"), checkTools(r.tools(), shortName))
}

func (r openAIRequest) checkMessages() error {
	if len(r.Messages) == 0 {
		return errors.New("messages: [] is too short")
	}
	// open holds the calls that have no result yet.
	open, ids := map[string]bool{}, map[string]bool{}
	for i, m := range r.Messages {
		if len(open) > 0 && m.Role != "tool" {
			return fmt.Errorf("messages[%d]: an assistant message with tool_calls must be followed by tool messages for each tool_call_id; missing: %s", i, names(open))
		}
		text, err := m.text()
		err = first(err, m.check(i, text, open))
		for _, call := range m.ToolCalls {
			err = first(err, want(!ids[call.ID], "tool_calls: the id %q is there twice", call.ID))
			open[call.ID], ids[call.ID] = true, true
		}
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	return want(len(open) == 0, "messages: tool calls without results: %s", names(open))
}

func (m openAIMessage) check(at int, text string, open map[string]bool) error {
	if m.Role != "assistant" && len(m.ToolCalls) > 0 || m.Role != "tool" && m.ToolCallID != "" {
		return fmt.Errorf("a message of role %q with tool_calls or tool_call_id", m.Role)
	}
	switch m.Role {
	case "system", "developer":
		return first(want(at == 0, "a system message must be the first"), want(text != "", "content: empty"))
	case "user":
		return want(text != "" || len(m.attached()) > 0, "content: empty")
	case "assistant":
		return m.checkAssistant(text)
	case "tool":
		found := open[m.ToolCallID]
		delete(open, m.ToolCallID)
		return first(
			want(found, "a tool message must answer a preceding message with tool_calls; %q is none of them", m.ToolCallID),
			want(len(m.Content) > 0 && string(m.Content) != "null", "content: missing"),
		)
	default:
		return fmt.Errorf("role: %q is not one of system, developer, user, assistant, tool", m.Role)
	}
}

func (m openAIMessage) checkAssistant(text string) error {
	if m.ToolCalls != nil && len(m.ToolCalls) == 0 {
		return errors.New("tool_calls: [] is too short")
	}
	for _, call := range m.ToolCalls {
		err := first(
			want(call.ID != "" && len(call.ID) <= 40, "tool_calls: the id %q must have 1 to 40 characters", call.ID),
			want(call.Type == "function", "tool_calls: type %q is not function", call.Type),
			want(shortName.MatchString(call.Function.Name), "tool_calls: the name %q does not match %s", call.Function.Name, shortName),
			want(isObject([]byte(call.Function.Arguments)), "tool_calls: the arguments %q are no JSON object", call.Function.Arguments),
		)
		if err != nil {
			return err
		}
	}
	return want(text != "" || len(m.ToolCalls) > 0, "an assistant message needs content or tool_calls")
}
