package openai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/agent/llm/openai"
	"github.com/idelchi/aura/sdk"
)

var searching = llm.Request{
	Model: "gpt-5.2", Search: 3, Generation: llm.Generation{MaxOutputTokens: new(100)},
	Messages: []llm.Message{{Role: llm.RoleSystem, Content: "Be brief."}, user("words")},
}

// TestSearchRequest checks the whole body, which is of another protocol than that of chats.
func TestSearchRequest(t *testing.T) {
	t.Parallel()
	const want = `{"model":"gpt-5.2","instructions":"Be brief.","input":[{"role":"user","content":"words"}],"tools":[{"type":"web_search"}],` +
		`"max_tool_calls":3,"max_output_tokens":100,"stream":true,"store":false}`
	for _, flavor := range []openai.Flavor{openai.OpenAI, openai.Compatible} {
		_, req := chat(t, flavor, searching, llmtest.Text("ok"))
		if string(req.Body) != want || req.Path != "/v1/responses" {
			t.Errorf("%q: %s got %s", flavor, req.Path, req.Body)
		}
	}
}

// TestSearchEnds checks how an answer ends.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	event := func(kind, fields string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, fields)
	}
	text := event("response.output_text.delta", `"delta":"So"`)
	for name, test := range map[string]struct{ stream, want string }{
		"completed":      {text + event("response.completed", `"response":{"usage":{"input_tokens":7,"output_tokens":2,"input_tokens_details":{"cached_tokens":1}}}`), "So end 7 2 1"},
		"cut":            {text + event("response.incomplete", `"response":{"incomplete_details":{"reason":"max_output_tokens"}}`), "So length 0 0 0"},
		"a limit":        {text + event("response.incomplete", `"response":{"incomplete_details":{"reason":"max_tool_calls"}}`), "So length 0 0 0"},
		"refusal":        {event("response.refusal.delta", `"delta":"No."`) + event("response.completed", `"response":{}`), "No. end 0 0 0"},
		"unnamed events": {strings.ReplaceAll(text, "event: response.output_text.delta\n", "") + "data: {\"type\":\"response.completed\",\"response\":{}}\n\n", "So end 0 0 0"},
		"filter":         {event("response.incomplete", `"response":{"incomplete_details":{"reason":"content_filter"}}`), sdk.ErrorTypeContentFilter},
		"failed":         {event("response.failed", `"response":{"error":{"code":"rate_limit_exceeded","message":"slow down"}}`), sdk.ErrorTypeRateLimit},
		"error":          {event("error", `"code":"server_error","message":"broken"`), sdk.ErrorTypeServer},
		"no end":         {text, sdk.ErrorTypeNetwork},
	} {
		server := llmtest.NewOpenAI(t, llmtest.Reply{Raw: test.stream})
		p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, openai.OpenAI)
		response, err := p.Chat(t.Context(), searching, func(llm.Delta) {})
		got := fmt.Sprintln(response.Message.Content, response.StopReason, response.Usage.Input, response.Usage.Output, response.Usage.CacheRead)
		if failure, ok := errors.AsType[*llm.Error](err); ok {
			got = failure.Type
		}
		if strings.TrimSpace(got) != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
