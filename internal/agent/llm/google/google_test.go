package google_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/google"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	for model, run := range map[string]func(llmtest.Suite, *testing.T){"gemini-2.5-flash": llmtest.Suite.Run, "gemini-3-flash": llmtest.Suite.RunModel} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			run(suite(model), t)
		})
	}
}

func FuzzSearch(f *testing.F) { suite("gemini-3-flash").FuzzSearch(f) }

func suite(model string) llmtest.Suite {
	return llmtest.Suite{
		Start: llmtest.NewGoogle,
		New: func(url string, client *http.Client) llm.Provider {
			return google.New(backend.Options{BaseURL: url, Token: llmtest.Token, HTTPClient: client})
		},
		Model:           model,
		Audio:           files.AudioTypes(),
		UnlimitedSearch: true,
		Objects:         true,
	}
}

// TestSearch checks the tool of the service, and that repeated metadata counts once.
func TestSearch(t *testing.T) {
	t.Parallel()
	const grounded = `"groundingMetadata":{"webSearchQueries":["a","b"],"groundingChunks":[{"web":{"uri":"https://t.example/","title":"T"}},{"maps":{}}]}`
	response, req := chat(t, llm.Request{Model: "gemini-3-flash", Messages: []llm.Message{user("words")}, Search: 2}, llmtest.Reply{Raw: "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"So\"}]}," + grounded + "}]}\r\n\r\n" +
		"data: {\"candidates\":[{\"finishReason\":\"STOP\"," + grounded + "}],\"usageMetadata\":{\"promptTokenCount\":3,\"toolUsePromptTokenCount\":4}}\r\n\r\n"})
	if tools := fmt.Sprint(req.JSON()["tools"]); tools != "[map[googleSearch:map[]]]" {
		t.Errorf("tools are %s", tools)
	}
	if got := fmt.Sprintln(response.Found, response.Message.Content, response.Usage.Input, response.Usage.Searches); got != "[{T https://t.example/}] So 7 2\n" {
		t.Errorf("got %s", got)
	}
}

func user(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: text} }

// chat makes a call and returns the response and the request that the server received.
func chat(t *testing.T, req llm.Request, reply llmtest.Reply) (llm.Response, llmtest.Request) {
	t.Helper()
	server := llmtest.NewGoogle(t, reply)
	p := google.New(backend.Options{BaseURL: server.URL + "/v1beta/", Token: llmtest.Token})
	response, err := p.Chat(t.Context(), req, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	return response, server.Requests()[0]
}

func TestConversation(t *testing.T) {
	t.Parallel()
	_, req := chat(t, llm.Request{
		Model: "gemini-3-pro",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "Be brief."},
			user("hi"), user("read both"),
			{Role: llm.RoleAssistant, Content: "Both.", Thinking: "hm", ToolCalls: []llm.ToolCall{
				{ID: "1", Name: "Read", Arguments: json.RawMessage(`{"path":"a"}`), Signature: []byte("signed")}, {ID: "2", Name: "Read", Arguments: json.RawMessage(`{"path":`)},
			}},
			{Role: llm.RoleTool, ToolCallID: "2", Content: "malformed"},
			{Role: llm.RoleTool, ToolCallID: "1", Content: "A"},
			{Role: llm.RoleAssistant, Content: "[reminder]"},
		},
		Tools: []llm.ToolDefinition{{Name: "Read", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}, llmtest.Text("ok"))
	want := []string{
		"system: Be brief.", "user: hi", "user: read both", "assistant: Both.", `call 1: Read {"path":"a"}`,
		`call 2: Read {"malformed_arguments":"{\"path\":"}`, `result 1: {"output":"A"}`, `result 2: {"output":"malformed"}`,
		"assistant: [reminder]", "user: Continue.",
	}
	if got := req.Lines(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if !strings.Contains(string(req.Body), base64.StdEncoding.EncodeToString([]byte("signed"))) {
		t.Errorf("the signature is lost: %s", req.Body)
	}
	if got := fmt.Sprint(req.JSON()["tools"]); got != "[map[functionDeclarations:[map[description:Reads. name:Read parametersJsonSchema:map[properties:map[path:map[type:string]] type:object]]]]]" {
		t.Errorf("tools are %s", got)
	}
	if !strings.HasSuffix(req.Path, "/models/gemini-3-pro:streamGenerateContent") {
		t.Errorf("asked %s", req.Path)
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	response, _ := chat(t, llm.Request{Model: "gemini-3-pro", Messages: []llm.Message{user("hi")}}, llmtest.Call("Read", `{}`))
	if got := string(response.Message.ToolCalls[0].Signature); got != llmtest.Signature("Read") {
		t.Errorf("got %q", got)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	knobs := llm.Generation{
		Temperature: new(0.5), TopP: new(0.75), TopK: new(4), MaxOutputTokens: new(100), FrequencyPenalty: new(0.25),
		PresencePenalty: new(-0.5), Seed: new(7), Stop: []string{"END"},
	}
	for name, test := range map[string]struct {
		req  llm.Request
		want string
	}{
		"nothing":         {llm.Request{Model: "gemini-2.5-flash"}, `map[]`},
		"knobs":           {llm.Request{Model: "gemini-2.5-flash", Generation: knobs}, `map[frequencyPenalty:0.25 maxOutputTokens:100 presencePenalty:-0.5 seed:7 stopSequences:[END] temperature:0.5 topK:4 topP:0.75]`},
		"budget":          {llm.Request{Model: "gemini-2.5-flash", Think: llm.ThinkLow}, `map[thinkingConfig:map[includeThoughts:true thinkingBudget:2048]]`},
		"budget, on":      {llm.Request{Model: "models/gemini-2.5-flash", Think: llm.ThinkOn}, `map[thinkingConfig:map[includeThoughts:true thinkingBudget:-1]]`},
		"budget, off":     {llm.Request{Model: "gemini-2.5-flash", Think: llm.ThinkOff}, `map[thinkingConfig:map[thinkingBudget:0]]`},
		"budget, pro":     {llm.Request{Model: "gemini-2.5-pro", Think: llm.ThinkOff}, `map[thinkingConfig:map[thinkingBudget:128]]`},
		"level":           {llm.Request{Model: "gemini-3-pro", Think: llm.ThinkHigh}, `map[thinkingConfig:map[includeThoughts:true thinkingLevel:HIGH]]`},
		"level, on":       {llm.Request{Model: "gemini-flash-latest", Think: llm.ThinkOn}, `map[thinkingConfig:map[includeThoughts:true]]`},
		"level, off":      {llm.Request{Model: "gemini-3-pro", Think: llm.ThinkOff}, `map[thinkingConfig:map[thinkingLevel:LOW]]`},
		"cannot think":    {llm.Request{Model: "gemini-2.0-flash", Think: llm.ThinkHigh}, `map[]`},
		"of another name": {llm.Request{Model: "gemma-3", Think: llm.ThinkHigh}, `map[]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.req.Messages = []llm.Message{user("hi")}
			_, req := chat(t, test.req, llmtest.Text("ok"))
			body := req.JSON()
			if got := fmt.Sprint(body["generationConfig"]); got != test.want && (test.want != "map[]" || body["generationConfig"] != nil) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			delete(body, "generationConfig")
			if delete(body, "contents"); len(body) > 0 {
				t.Errorf("got also %v", body)
			}
		})
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reply llmtest.Reply
		want  string
	}{
		"length":    {llmtest.Reply{Text: "So", Stop: "MAX_TOKENS"}, llm.StopLength},
		"safety":    {llmtest.Reply{Text: "So", Stop: "SAFETY"}, sdk.ErrorTypeContentFilter},
		"copied":    {llmtest.Reply{Text: "So", Stop: "RECITATION"}, sdk.ErrorTypeContentFilter},
		"malformed": {llmtest.Reply{Stop: "MALFORMED_FUNCTION_CALL"}, "unclassified"},
		"other":     {llmtest.Reply{Text: "So", Stop: "OTHER"}, llm.StopEnd},
		"question":  {llmtest.Reply{Raw: "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\r\n\r\n"}, sdk.ErrorTypeContentFilter},
	} {
		server := llmtest.NewGoogle(t, test.reply)
		p := google.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token})
		response, err := p.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, func(llm.Delta) {})
		got := response.StopReason
		if failure, ok := errors.AsType[*llm.Error](err); ok {
			got = cmp.Or(failure.Type, "unclassified")
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q: %v", name, got, test.want, err)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	response, _ := chat(t, llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, llmtest.Reply{Raw: `data: {"candidates":[{"content":{"parts":[{"text":"Hi"},{"functionCall":{"name":"Read"}}]},"finishReason":"STOP"}],` +
		`"usageMetadata":{"promptTokenCount":100,"toolUsePromptTokenCount":20,"candidatesTokenCount":3,"thoughtsTokenCount":4}}` + "\n\n"})
	if response.Usage != (llm.Usage{Input: 120, Output: 7}) {
		t.Errorf("got %+v", response.Usage)
	}
	if calls := response.Message.ToolCalls; len(calls) != 1 || string(calls[0].Arguments) != "{}" || calls[0].ID != "" {
		t.Errorf("got %+v", calls)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	const pro = `{"name":"models/gemini-9-pro","inputTokenLimit":2000000,"thinking":true,"supportedGenerationMethods":["generateContent"]}`
	server := llmtest.NewGoogle(t)
	server.Page("/v1beta/models/gemini-9-pro", pro)
	server.Page("/v1beta/models", `{"models":[`+pro+`,{"name":"models/embedding-1","supportedGenerationMethods":["embedContent"]}]}`)
	p := google.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token})
	want := llm.Model{Name: "gemini-9-pro", Family: "gemini", ContextLength: 2_000_000, Capabilities: []string{"tools", "vision", "files", "audio", "thinking", "thinking_levels", "search"}}
	described := want
	described.Audio = files.AudioTypes()
	if got, err := p.Model(t.Context(), "gemini-9-pro"); err != nil || !reflect.DeepEqual(got, described) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got, err := p.Model(t.Context(), "gemini-2.0-flash"); err != nil || got.ContextLength != 1_048_576 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := p.Model(t.Context(), "other"); err != nil || !reflect.DeepEqual(got, llm.Model{Name: "other", Audio: files.AudioTypes()}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := p.Model(t.Context(), ""); err != nil || got.Name == "" {
		t.Errorf("got %+v, %v", got, err)
	}
	if list, err := p.Models(t.Context()); err != nil || len(list) != 1 || !reflect.DeepEqual(list[0], want) {
		t.Errorf("got %+v, %v", list, err)
	}
	if list, err := google.New(backend.Options{BaseURL: server.URL + "/nowhere"}).Models(t.Context()); err == nil {
		t.Errorf("got %+v", list)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	server := llmtest.NewGoogle(t, llmtest.Text("ok"), llmtest.Text("ok"))
	server.Anonymous()
	for _, name := range []string{"", "mine"} {
		p := google.New(backend.Options{BaseURL: server.URL, Model: name})
		if _, err := p.Chat(t.Context(), llm.Request{Messages: []llm.Message{user("hi")}}, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	if first, second := server.Requests()[0].Path, server.Requests()[1].Path; !strings.Contains(first, "/gemini-") || !strings.Contains(second, "/mine:") {
		t.Errorf("asked %s and %s", first, second)
	}
}
