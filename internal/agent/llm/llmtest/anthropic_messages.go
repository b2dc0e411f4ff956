package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
)

// anthropicBlock is a content block of a message. The allowed fields depend on Type; blocks checks them.
type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   *bool           `json:"is_error"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	CacheControl *anthropicCache `json:"cache_control"`
}

var blockFields = map[string][]string{
	"text":              {"type", "text", "cache_control"},
	"thinking":          {"type", "thinking", "signature"},
	"redacted_thinking": {"type", "data"},
	"tool_use":          {"type", "id", "name", "input", "cache_control"},
	"image":             {"type", "source", "cache_control"},
	"document":          {"type", "source", "cache_control"},
	"tool_result":       {"type", "tool_use_id", "content", "is_error", "cache_control"},
}

// blocks parses content, which is a string or an array of blocks.
func blocks(content json.RawMessage) ([]anthropicBlock, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: &text}}, nil
	}
	var out []anthropicBlock
	if err := strictly(content, &out); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal(content, &raw); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	for i, b := range raw {
		allowed, known := blockFields[out[i].Type]
		for field := range b {
			if !known || !slices.Contains(allowed, field) {
				return nil, fmt.Errorf("content.%d: type %q, field %q: Extra inputs are not permitted", i, out[i].Type, field)
			}
		}
	}
	return out, nil
}

// history is the state of the check after the messages so far.
type history struct {
	request anthropicRequest
	last    bool
	// open holds the ids of the previous message's calls. ids holds the ids of all calls.
	open, ids map[string]bool
	cached    int
}

func (r anthropicRequest) checkMessages() error {
	if len(r.Messages) == 0 {
		return errors.New("messages: at least one message is required")
	}
	h := history{request: r, open: map[string]bool{}, ids: map[string]bool{}, cached: r.cached()}
	for i, m := range r.Messages {
		wantRole := []string{"user", "assistant"}[i%2]
		if m.Role != wantRole {
			return fmt.Errorf("messages.%d: the role is %q where %q is expected: roles must alternate, beginning with user", i, m.Role, wantRole)
		}
		content, err := blocks(m.Content)
		h.last = i >= len(r.Messages)-2
		if err = first(err, h.check(m.Role, content)); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	return first(
		want(r.Messages[len(r.Messages)-1].Role == "user", "this model does not support assistant message prefill; the conversation must end with a user message"),
		want(len(h.ids) == 0 || len(r.Tools) > 0, "requests which include tool_use or tool_result blocks must define tools"),
		want(h.cached <= 4, "a maximum of 4 blocks with cache_control may be provided"),
	)
}

// cached counts the cache breakpoints outside the messages.
func (r anthropicRequest) cached() int {
	n := 0
	system, _ := blocks(r.System)
	for _, b := range system {
		if b.CacheControl != nil {
			n++
		}
	}
	for _, tool := range r.Tools {
		if tool.CacheControl != nil {
			n++
		}
	}
	return n
}

func (h *history) check(role string, content []anthropicBlock) error {
	if len(content) == 0 {
		return errors.New("content: must be non-empty")
	}
	open := maps.Clone(h.open)
	clear(h.open)
	results := true
	for i, b := range content {
		if b.CacheControl != nil {
			h.cached++
		}
		isResult := b.Type == "tool_result"
		results = results && isResult
		err := first(
			want(!isResult || results, "tool_result blocks must come first"),
			h.checkBlock(role, b, open),
		)
		if err != nil {
			return fmt.Errorf("content.%d: %w", i, err)
		}
	}
	begins := content[0].Type == "thinking" || content[0].Type == "redacted_thinking"
	enabled := h.request.Thinking != nil && h.request.Thinking.Type == "enabled"
	return first(
		want(len(open) == 0, "tool_use ids were found without tool_result blocks immediately after: %s", names(open)),
		want(!enabled || !h.last || len(h.open) == 0 || begins, "expected thinking or redacted_thinking before tool_use when thinking is enabled"),
	)
}

func (h *history) checkBlock(role string, b anthropicBlock, open map[string]bool) error {
	switch b.Type {
	case "text":
		return want(!blank(textOf(b.Text)), "text content blocks must contain non-whitespace text")
	case "image", "document":
		return first(
			want(role == "user", "%s in a message of role %s", b.Type, role),
			want(b.Source.Type == "base64", "source.type: %q is not base64", b.Source.Type),
			checkMedia(b.Source.MediaType, b.Source.Data, map[string]string{"image": llm.Vision, "document": llm.Files}[b.Type]),
		)
	case "thinking":
		return first(
			want(role == "assistant", "thinking in a message of role %s", role),
			want(b.Signature == Signature(b.Thinking), "invalid signature in thinking block"),
		)
	case "redacted_thinking":
		return want(role == "assistant" && b.Data != "", "redacted_thinking without data or in a message of role %s", role)
	case "tool_use":
		known := h.ids[b.ID]
		h.open[b.ID], h.ids[b.ID] = true, true
		return first(
			want(role == "assistant", "tool_use in a message of role %s", role),
			want(anyName.MatchString(b.ID), "id: String should match pattern %s", anyName),
			want(!known, "tool_use ids must be unique: %q", b.ID),
			want(longName.MatchString(b.Name), "name: String should match pattern %s", longName),
			want(isObject(b.Input), "input: Input should be a valid dictionary"),
		)
	default:
		found := open[b.ToolUseID]
		delete(open, b.ToolUseID)
		return first(
			want(role == "user", "tool_result in a message of role %s", role),
			want(found, "unexpected tool_use_id %q: each tool_result must have a corresponding tool_use in the previous message", b.ToolUseID),
			checkResult(b.Content),
		)
	}
}

// checkResult accepts missing content, for a tool without output.
func checkResult(content json.RawMessage) error {
	if content == nil {
		return nil
	}
	said, err := blocks(content)
	for _, b := range said {
		err = first(err, want(b.Type == "text" && !blank(textOf(b.Text)), "text content blocks must be non-empty"))
	}
	return err
}
