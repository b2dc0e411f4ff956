package anthropic

import "encoding/json"

// The types of this file are the part of the messages protocol that aura uses, named as in the JSON of the service.

type request struct {
	Model        string          `json:"model"`
	MaxTokens    int             `json:"max_tokens"`
	Messages     []message       `json:"messages"`
	System       []block         `json:"system,omitempty"`
	Tools        []tool          `json:"tools,omitempty"`
	ToolChoice   *toolChoice     `json:"tool_choice,omitempty"`
	Temperature  *float64        `json:"temperature,omitempty"`
	TopP         *float64        `json:"top_p,omitempty"`
	TopK         *int            `json:"top_k,omitempty"`
	Stop         []string        `json:"stop_sequences,omitempty"`
	Thinking     *thinkingConfig `json:"thinking,omitempty"`
	OutputConfig *outputConfig   `json:"output_config,omitempty"`
	Stream       bool            `json:"stream"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a block of content. Its type decides which of the other fields are set.
type block struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`

	// Thinking and Signature may be empty, but not missing.
	Thinking  *string `json:"thinking,omitempty"`
	Signature *string `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`

	Source *source `json:"source,omitempty"`

	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ToolUseID string  `json:"tool_use_id,omitempty"`
	Content   []block `json:"content,omitempty"`

	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

type cacheControl struct {
	Type string `json:"type"`
}

var ephemeral = &cacheControl{Type: "ephemeral"}

// tool is a tool of aura, or a tool of the service if Type is set.
type tool struct {
	Type        string          `json:"type,omitempty"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	MaxUses     int             `json:"max_uses,omitempty"`
}

// The type and the name of the tool by which the service searches the web. The type contains the version of the tool; later
// versions need further tools of the service.
const (
	searchType = "web_search_20250305"
	searchName = "web_search"
)

type toolChoice struct {
	Type string `json:"type"`
}

type thinkingConfig struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// event is an event of an answer. Its type decides which of the other fields are set.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	ContentBlock struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		// Content is what a search found: a list of pages, or an error.
		Content json.RawMessage `json:"content"`
	} `json:"content_block"`
	Delta struct {
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
		Signature   string `json:"signature"`
		StopReason  string `json:"stop_reason"`
		StopDetails struct {
			Explanation string `json:"explanation"`
		} `json:"stop_details"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	ServerTool struct {
		Searches int `json:"web_search_requests"`
	} `json:"server_tool_use"`
}

// page is a page that a search found.
type page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// searchError is what a failed search has instead of pages.
type searchError struct {
	Code string `json:"error_code"`
}

// model is a description of a model.
type model struct {
	ID             string        `json:"id"`
	MaxInputTokens int           `json:"max_input_tokens"`
	MaxTokens      int           `json:"max_tokens"`
	Capabilities   *capabilities `json:"capabilities"`
}

type capabilities struct {
	ImageInput support `json:"image_input"`
	PDFInput   support `json:"pdf_input"`
	Thinking   struct {
		support
		Types struct {
			Adaptive support `json:"adaptive"`
		} `json:"types"`
	} `json:"thinking"`
}

type support struct {
	Supported bool `json:"supported"`
}
