package openai

import "encoding/json"

// The types of this file are the part of the chat completions protocol that aura uses, named as in the JSON of the servers.

type request struct {
	Model               string        `json:"model"`
	Messages            []message     `json:"messages"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
	Tools               []tool        `json:"tools,omitempty"`
	Temperature         *float64      `json:"temperature,omitempty"`
	TopP                *float64      `json:"top_p,omitempty"`
	FrequencyPenalty    *float64      `json:"frequency_penalty,omitempty"`
	PresencePenalty     *float64      `json:"presence_penalty,omitempty"`
	Seed                *int          `json:"seed,omitempty"`
	Stop                []string      `json:"stop,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	ReasoningEffort     string        `json:"reasoning_effort,omitempty"`

	// TopK, Reasoning and TemplateArguments are extensions of some servers.
	TopK              *int           `json:"top_k,omitempty"`
	Reasoning         map[string]any `json:"reasoning,omitempty"`
	TemplateArguments map[string]any `json:"chat_template_kwargs,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role string `json:"role"`
	// Content is a string, a list of parts, or nil.
	Content    any        `json:"content,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type part struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Image *image `json:"image_url,omitempty"`
	Audio *audio `json:"input_audio,omitempty"`
	File  *file  `json:"file,omitempty"`
}

type image struct {
	URL string `json:"url"`
}

type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type file struct {
	Data string `json:"file_data"`
	Name string `json:"filename"`
}

// toolCall is a call in a request, or a piece of one in an answer. Only the latter has an index.
type toolCall struct {
	Index    int      `json:"index,omitempty"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Function definition `json:"function"`
	Type     string     `json:"type"`
}

type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// chunk is an event of an answer.
type chunk struct {
	// Type is the type of an event of the responses protocol.
	Type    string `json:"type"`
	Choices []struct {
		Index        int    `json:"index"`
		Delta        delta  `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content          string     `json:"content"`
	Refusal          string     `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content"`
	Reasoning        string     `json:"reasoning"`
	ToolCalls        []toolCall `json:"tool_calls"`
}
