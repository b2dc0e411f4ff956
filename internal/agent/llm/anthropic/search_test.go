package anthropic_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/anthropic"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/sdk"
)

// TestSearchRequest checks the tool of the service.
func TestSearchRequest(t *testing.T) {
	t.Parallel()
	_, req := chat(t, llm.Request{Model: "claude-sonnet-4-5", Messages: []llm.Message{user("words")}, Search: 2}, llmtest.Text("ok"))
	if tools := fmt.Sprint(req.JSON()["tools"]); tools != "[map[max_uses:2 name:web_search type:web_search_20250305]]" {
		t.Errorf("tools are %s", tools)
	}
}

// TestSearchFails checks the errors of a search in an answer that is complete otherwise.
func TestSearchFails(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct{ kind, text string }{
		"too_many_requests": {sdk.ErrorTypeRateLimit, "too many requests"},
		"unavailable":       {sdk.ErrorTypeServer, "not available at the moment"},
		"query_too_long":    {"", "search for fewer words"},
		"max_uses_exceeded": {"", "the search failed: max_uses_exceeded"},
		"something_new":     {"", "the search failed: something_new"},
	} {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Text: "I could not search.", SearchError: code, Usage: llm.Usage{Searches: 1}})
		p := anthropic.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token})
		_, err := p.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{user("words")}, Search: 1}, func(llm.Delta) {})
		if failure, ok := errors.AsType[*llm.Error](err); !ok || failure.Type != want.kind || !strings.Contains(failure.Message, want.text) {
			t.Errorf("%s: got %v", code, err)
		}
	}
}

// TestSearchPartly checks that a failed search does not hide what another one found, and that a paused answer counts as cut.
func TestSearchPartly(t *testing.T) {
	t.Parallel()
	event := func(kind, fields string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, fields)
	}
	response, _ := chat(t, llm.Request{Model: "m", Messages: []llm.Message{user("words")}, Search: 2}, llmtest.Reply{Raw: event(
		"content_block_start", `"index":0,"content_block":{"type":"web_search_tool_result","tool_use_id":"1","content":[{"type":"web_search_result","title":"T","url":"https://t.example/"}]}`) +
		event("content_block_start", `"index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"2","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}`) +
		event("content_block_start", `"index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"3","content":7}`) +
		event("content_block_start", `"index":3,"content_block":{"type":"text","text":"So"}`) +
		event("message_delta", `"delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":7,"server_tool_use":{"web_search_requests":2}}`) +
		event("message_stop", `"x":0`)})
	if got := fmt.Sprintln(response.Found, response.Message.Content, response.StopReason, response.Usage.Searches); got != "[{T https://t.example/}] So length 2\n" {
		t.Errorf("got %s", got)
	}
}
