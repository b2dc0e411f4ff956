package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// anthropicRequest holds the fields that the server accepts in a request for a message.
type anthropicRequest struct {
	Model         string             `json:"model"`
	MaxTokens     *int               `json:"max_tokens"`
	Messages      []anthropicMessage `json:"messages"`
	System        json.RawMessage    `json:"system"`
	Stream        bool               `json:"stream"`
	Tools         []anthropicTool    `json:"tools"`
	ToolChoice    *anthropicChoice   `json:"tool_choice"`
	Thinking      *anthropicThinking `json:"thinking"`
	Temperature   *float64           `json:"temperature"`
	TopP          *float64           `json:"top_p"`
	TopK          *int               `json:"top_k"`
	StopSequences []string           `json:"stop_sequences"`
	OutputConfig  *struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type anthropicChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type anthropicThinking struct {
	Type         string `json:"type"`
	BudgetTokens *int   `json:"budget_tokens"`
	Display      string `json:"display"`
}

type anthropicCache struct {
	Type string `json:"type"`
}

// anthropicTool is a tool of the client, or a tool of the service if Type is set.
type anthropicTool struct {
	Type         string          `json:"type"`
	MaxUses      *int            `json:"max_uses"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *anthropicCache `json:"cache_control"`
}

func (anthropic) token(h http.Header) string { return h.Get("X-Api-Key") }

func (anthropic) parse(_ string, body []byte) (question, error) { return parse[anthropicRequest](body) }

func (r anthropicRequest) check(req Request) error {
	return first(
		want(req.Header.Get("Anthropic-Version") != "", "anthropic-version: header is required"),
		lowerCase(req.Body, "input", "input_schema"),
		r.checkParameters(), r.checkThinking(), r.checkTools(), r.checkMessages(),
	)
}

func (r anthropicRequest) checkParameters() error {
	efforts := []string{"low", "medium", "high", "max"}
	return first(
		want(r.Model != "", "model: Field required"),
		want(r.MaxTokens != nil && *r.MaxTokens > 0, "max_tokens: Field required"),
		want(r.Stream, "stream: only streams are served here"),
		want(r.OutputConfig == nil || slices.Contains(efforts, r.OutputConfig.Effort), "output_config.effort: not one of %q", efforts),
		within("temperature", r.Temperature, 0, 1), within("top_p", r.TopP, 0, 1),
		want(!slices.ContainsFunc(r.StopSequences, blank), "stop_sequences: each must contain non-whitespace"),
		r.checkSystem(),
	)
}

func (r anthropicRequest) checkSystem() error {
	if r.System == nil {
		return nil
	}
	system, err := blocks(r.System)
	if err != nil {
		return fmt.Errorf("system: %w", err)
	}
	for _, b := range system {
		if b.Type != "text" || blank(textOf(b.Text)) {
			return errors.New("system: text content blocks must be non-empty")
		}
	}
	return nil
}

func (r anthropicRequest) checkThinking() error {
	t := r.Thinking
	if t == nil {
		return nil
	}
	switch t.Type {
	case "disabled", "adaptive":
		return want(t.BudgetTokens == nil, "thinking.budget_tokens: Extra inputs are not permitted")
	case "enabled":
		return first(
			want(t.BudgetTokens != nil && *t.BudgetTokens >= 1024, "thinking.budget_tokens: must be at least 1024"),
			want(t.BudgetTokens == nil || *t.BudgetTokens < *r.MaxTokens, "max_tokens must be greater than thinking.budget_tokens"),
			want(r.Temperature == nil || *r.Temperature == 1, "temperature may only be set to 1 when thinking is enabled"),
			want(r.TopK == nil, "top_k must be unset when thinking is enabled"),
			want(r.TopP == nil || *r.TopP >= 0.95, "top_p must be at least 0.95 when thinking is enabled"),
		)
	default:
		return fmt.Errorf("thinking.type: %q is not one of disabled, adaptive, enabled", t.Type)
	}
}

func (t anthropicTool) checkSearch() error {
	return first(
		want(t.Type == "web_search_20250305" && t.Name == "web_search", "type: %q named %q is no tool of the service", t.Type, t.Name),
		want(t.MaxUses == nil || *t.MaxUses > 0, "max_uses: must be positive"),
		want(t.InputSchema == nil && t.Description == "", "a tool of the service has no schema and no description"),
	)
}

func (r anthropicRequest) checkTools() error {
	if err := checkTools(r.defined(), longName); err != nil {
		return err
	}
	for i, t := range r.Tools {
		if t.Type != "" {
			if err := t.checkSearch(); err != nil {
				return fmt.Errorf("tools.%d: %w", i, err)
			}
			continue
		}
		var top object
		err := json.Unmarshal(t.InputSchema, &top)
		for _, key := range []string{"oneOf", "allOf", "anyOf"} {
			err = first(err, want(top[key] == nil, "input_schema does not support %s at the top level", key))
		}
		if err != nil {
			return fmt.Errorf("tools.%d: %w", i, err)
		}
	}
	choice := r.ToolChoice
	return first(
		want(choice == nil || len(r.Tools) > 0, "tool_choice may only be specified while providing tools"),
		want(choice == nil || slices.Contains([]string{"auto", "any", "tool", "none"}, choice.Type), "tool_choice: unknown type"),
	)
}
