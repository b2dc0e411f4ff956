package google

import "encoding/json"

// The types of this file are the part of Google's protocol that aura uses, named as in the JSON of the service.

type request struct {
	Contents []content `json:"contents"`
	System   *content  `json:"systemInstruction,omitempty"`
	Tools    []tools   `json:"tools,omitempty"`
	Config   config    `json:"generationConfig,omitzero"`
}

type tools struct {
	Functions []declaration `json:"functionDeclarations,omitempty"`
	Search    *struct{}     `json:"googleSearch,omitempty"`
}

type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type config struct {
	Temperature      *float64        `json:"temperature,omitempty"`
	TopP             *float64        `json:"topP,omitempty"`
	TopK             *int            `json:"topK,omitempty"`
	MaxOutputTokens  int             `json:"maxOutputTokens,omitempty"`
	Stop             []string        `json:"stopSequences,omitempty"`
	Seed             *int            `json:"seed,omitempty"`
	PresencePenalty  *float64        `json:"presencePenalty,omitempty"`
	FrequencyPenalty *float64        `json:"frequencyPenalty,omitempty"`
	Thinking         *thinkingConfig `json:"thinkingConfig,omitempty"`
}

// IsZero makes a request without settings have none.
func (c config) IsZero() bool {
	none := c.Temperature == nil && c.TopP == nil && c.TopK == nil && c.MaxOutputTokens == 0 && len(c.Stop) == 0
	return none && c.Seed == nil && c.PresencePenalty == nil && c.FrequencyPenalty == nil && c.Thinking == nil
}

type thinkingConfig struct {
	Include bool   `json:"includeThoughts,omitempty"`
	Budget  *int   `json:"thinkingBudget,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

// part is a part of a content. One of its fields is set, beside Thought and ThoughtSignature.
type part struct {
	Text             string            `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	ThoughtSignature []byte            `json:"thoughtSignature,omitempty"`
	InlineData       *blob             `json:"inlineData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type functionResponse struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name"`
	Response any    `json:"response"`
}

// chunk is an event of an answer.
type chunk struct {
	Candidates []struct {
		Content       content `json:"content"`
		FinishReason  string  `json:"finishReason"`
		FinishMessage string  `json:"finishMessage"`
		// Grounding is what the service found.
		Grounding struct {
			Queries []string `json:"webSearchQueries"`
			Chunks  []struct {
				Web struct {
					Title string `json:"title"`
					URI   string `json:"uri"`
				} `json:"web"`
			} `json:"groundingChunks"`
		} `json:"groundingMetadata"`
	} `json:"candidates"`
	Usage *struct {
		Prompt        int `json:"promptTokenCount"`
		ToolUsePrompt int `json:"toolUsePromptTokenCount"`
		Candidates    int `json:"candidatesTokenCount"`
		Thoughts      int `json:"thoughtsTokenCount"`
		CachedContent int `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
	Feedback *struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Error json.RawMessage `json:"error"`
}

// model is a description of a model.
type model struct {
	Name            string   `json:"name"`
	InputTokenLimit int      `json:"inputTokenLimit"`
	Thinking        bool     `json:"thinking"`
	Methods         []string `json:"supportedGenerationMethods"`
}
