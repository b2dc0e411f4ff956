package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/anthropic"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/sdk"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	suite().Run(t)
}

func FuzzSearch(f *testing.F) { suite().FuzzSearch(f) }

func suite() llmtest.Suite {
	return llmtest.Suite{
		Start: llmtest.NewAnthropic,
		New: func(url string, client *http.Client) llm.Provider {
			return anthropic.New(backend.Options{BaseURL: url, Token: llmtest.Token, HTTPClient: client})
		},
		Model: "claude-sonnet-4-5",
	}
}

func user(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: text} }

// chat makes a call and returns the response and the request that the server received.
func chat(t *testing.T, req llm.Request, reply llmtest.Reply) (llm.Response, llmtest.Request) {
	t.Helper()
	server := llmtest.NewAnthropic(t, reply)
	p := anthropic.New(backend.Options{BaseURL: server.URL + "/v1/", Token: llmtest.Token})
	response, err := p.Chat(t.Context(), req, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	return response, server.Requests()[0]
}

func TestConversation(t *testing.T) {
	t.Parallel()
	thought := llm.Message{
		Role: llm.RoleAssistant, Content: "Both.", Thinking: "hmso",
		ThinkingBlocks: []llm.ThinkingBlock{
			{Text: "hm", Signature: llmtest.Signature("hm")}, {Redacted: "xyz"}, {Text: "so", Signature: llmtest.Signature("so")},
		},
		ToolCalls: []llm.ToolCall{
			{ID: "t1", Name: "Read", Arguments: json.RawMessage(`{"path":"a","big":12345678901234567890}`)},
			{ID: "t2", Name: "Read", Arguments: json.RawMessage(`{"path":`)},
		},
	}
	changed := thought
	changed.Thinking = "rewritten by a plugin"
	changed.ToolCalls = nil
	_, req := chat(t, llm.Request{
		Model: "m",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "Be brief."},
			user("hi"), changed, user("read both"), thought,
			{Role: llm.RoleTool, ToolCallID: "t2", Content: "malformed"},
			{Role: llm.RoleTool, ToolCallID: "t1", Content: "A"},
			user("[reminder]"),
		},
		Tools: []llm.ToolDefinition{{Name: "Read", Description: "Reads.", Parameters: json.RawMessage(`{"properties":{"path":{}},"anyOf":[{}]}`)}},
	}, llmtest.Text("ok"))
	want := []string{
		"system: Be brief.", "user: hi", "assistant: Both.", "user: read both", "thinking: hm", "redacted: xyz", "thinking: so", "assistant: Both.",
		`call t1: Read {"path":"a","big":12345678901234567890}`, `call t2: Read {"malformed_arguments":"{\"path\":"}`,
		"result t1: A", "result t2: malformed", "user: [reminder]",
	}
	if got := req.Lines(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	body := req.JSON()
	if tools := fmt.Sprint(body["tools"]); tools != "[map[description:Reads. input_schema:map[properties:map[path:map[]] type:object] name:Read]]" {
		t.Errorf("tools are %s", tools)
	}
	if cached := strings.Count(string(req.Body), `"cache_control":{"type":"ephemeral"}`); cached != 2 {
		t.Errorf("%d blocks are cached: %s", cached, req.Body)
	}
	if body["tool_choice"] != nil || body["thinking"] != nil {
		t.Errorf("got %s", req.Body)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	calls := []llm.Message{
		user("hi"),
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "Read"}}},
		{Role: llm.RoleTool, ToolCallID: "1", Content: "x"},
	}
	warm := llm.Generation{Temperature: new(0.5), TopP: new(0.9), TopK: new(4), Stop: []string{"END"}}
	for name, test := range map[string]struct {
		req  llm.Request
		want string
	}{
		"nothing":               {llm.Request{Model: "claude-opus-4-1"}, `max_tokens:32000`},
		"small model":           {llm.Request{Model: "claude-3-haiku-20240307"}, `max_tokens:4096`},
		"older model":           {llm.Request{Model: "claude-3-5-sonnet-latest"}, `max_tokens:8192`},
		"knobs":                 {llm.Request{Model: "claude-opus-4-1", Generation: warm}, `max_tokens:32000 stop_sequences:[END] temperature:0.5 top_k:4 top_p:0.9`},
		"limit":                 {llm.Request{Model: "m", Generation: llm.Generation{MaxOutputTokens: new(100)}}, `max_tokens:100`},
		"thinking off":          {llm.Request{Model: "claude-opus-4-1", Think: llm.ThinkOff}, `max_tokens:32000`},
		"budget":                {llm.Request{Model: "claude-opus-4-1", Think: llm.ThinkHigh, Generation: warm}, `max_tokens:32000 stop_sequences:[END] thinking:map[budget_tokens:24576 type:enabled]`},
		"budget and limit":      {llm.Request{Model: "claude-opus-4-20250514", Think: llm.ThinkOn, Generation: llm.Generation{MaxOutputTokens: new(100)}}, `max_tokens:12288 thinking:map[budget_tokens:8192 type:enabled]`},
		"budget of another":     {llm.Request{Model: "glm-4", Think: llm.ThinkLow}, `max_tokens:32000 thinking:map[budget_tokens:2048 type:enabled]`},
		"adaptive":              {llm.Request{Model: "claude-opus-4-6", Think: llm.ThinkOn, Generation: warm}, `max_tokens:32000 stop_sequences:[END] thinking:map[display:summarized type:adaptive]`},
		"effort":                {llm.Request{Model: "claude-sonnet-5-5", Think: llm.ThinkLow}, `max_tokens:32000 output_config:map[effort:low] thinking:map[display:summarized type:adaptive]`},
		"cannot think":          {llm.Request{Model: "claude-3-5-haiku-latest", Think: llm.ThinkHigh}, `max_tokens:8192`},
		"no thinking to resume": {llm.Request{Model: "claude-opus-4-1", Think: llm.ThinkHigh, Messages: calls}, `max_tokens:32000 tool_choice:map[type:none] tools:[map[description:Not available now. input_schema:map[properties:map[] type:object] name:Read]]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.req.Messages == nil {
				test.req.Messages = []llm.Message{user("hi")}
			}
			_, req := chat(t, test.req, llmtest.Text("ok"))
			body := req.JSON()
			for _, key := range []string{"model", "messages", "stream"} {
				delete(body, key)
			}
			if got, want := fmt.Sprint(body), "map["+test.want+"]"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{
		"max_tokens": llm.StopLength, "stop_sequence": llm.StopEnd, "refusal": sdk.ErrorTypeContentFilter,
		"model_context_window_exceeded": sdk.ErrorTypeContextExhausted,
	} {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Text: "So", Stop: reply})
		p := anthropic.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token})
		response, err := p.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, func(llm.Delta) {})
		got := response.StopReason
		if failure, ok := errors.AsType[*llm.Error](err); ok {
			got = failure.Type
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", reply, got, want)
		}
	}
}

// TestEvents covers the differences between services in what each event contains.
func TestEvents(t *testing.T) {
	t.Parallel()
	event := func(kind, fields string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, fields)
	}
	response, _ := chat(t, llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, llmtest.Reply{Raw: event(
		"message_start", `"message":{"usage":{"input_tokens":1,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":1}}`) +
		event("content_block_start", `"index":0,"content_block":{"type":"text","text":"He"}`) +
		event("content_block_start", `"index":1,"content_block":{"type":"tool_use","id":"1","name":"Read","input":{"path":"a"}}`) +
		event("content_block_start", `"index":2,"content_block":{"type":"tool_use","id":"2","name":"Read","input":{}}`) +
		event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"llo"}`) +
		event("content_block_delta", `"index":9,"delta":{"type":"text_delta","text":"nowhere"}`) +
		event("something_new", `"index":0`) +
		event("message_delta", `"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7,"input_tokens":2}`)})
	m := response.Message
	if m.Content != "Hello" || len(m.ToolCalls) != 2 || string(m.ToolCalls[0].Arguments) != `{"path":"a"}` || string(m.ToolCalls[1].Arguments) != `{}` {
		t.Errorf("got %+v", m)
	}
	if response.Usage != (llm.Usage{Input: 322, Output: 7, CacheRead: 300, CacheWrite: 20}) {
		t.Errorf("got %+v", response.Usage)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	const opus = `{"id":"claude-opus-4-1","type":"model","display_name":"Opus","max_input_tokens":500000,"max_tokens":64000,
		"capabilities":{"image_input":{"supported":true},"pdf_input":{"supported":true},"thinking":{"supported":true,"types":{"adaptive":{"supported":true}}}}}`
	server := llmtest.NewAnthropic(t, llmtest.Text("ok"))
	server.Page("/v1/models/claude-opus-4-1", opus)
	server.Page("/v1/models", `{"data":[`+opus+`,{"id":"claude-3-haiku","type":"model"}],"has_more":false}`)
	p := anthropic.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token})
	want := llm.Model{Name: "claude-opus-4-1", Family: "claude", ContextLength: 500_000, Capabilities: []string{"files", "search", "thinking", "thinking_levels", "tools", "vision"}}
	if got, err := p.Model(t.Context(), "claude-opus-4-1"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got, err := p.Model(t.Context(), "claude-3-haiku"); err != nil || got.ContextLength != 200_000 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := p.Model(t.Context(), "other"); err != nil || !reflect.DeepEqual(got, llm.Model{Name: "other"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := p.Model(t.Context(), ""); err != nil || got.Name == "" {
		t.Errorf("got %+v, %v", got, err)
	}
	list, err := p.Models(t.Context())
	if err != nil || len(list) != 2 || !reflect.DeepEqual(list[0], want) || list[1].Name != "claude-3-haiku" {
		t.Errorf("got %+v, %v", list, err)
	}
	// Requests use the description that the service reported.
	if _, err := p.Chat(t.Context(), llm.Request{Model: "claude-opus-4-1", Think: llm.ThinkLow, Messages: []llm.Message{user("hi")}}, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	if body := server.Requests()[0].JSON(); fmt.Sprint(body["thinking"]) != "map[display:summarized type:adaptive]" {
		t.Errorf("got %v", body["thinking"])
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	server := llmtest.NewAnthropic(t, llmtest.Text("ok"), llmtest.Text("ok"))
	server.Anonymous()
	for _, name := range []string{"", "mine"} {
		p := anthropic.New(backend.Options{BaseURL: server.URL, Model: name})
		if _, err := p.Chat(t.Context(), llm.Request{Messages: []llm.Message{user("hi")}}, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	if first, second := server.Requests()[0].JSON()["model"], server.Requests()[1].JSON()["model"]; first == "" || second != "mine" {
		t.Errorf("asked for %v and %v", first, second)
	}
}

// TestUnreachable checks that listing models fails, while describing a model does not.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := llmtest.NewAnthropic(t)
	p := anthropic.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token})
	if list, err := p.Models(t.Context()); err == nil {
		t.Errorf("got %+v", list)
	}
}
