package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/agent/llm/openai"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	suite().Run(t)
}

func FuzzSearch(f *testing.F) { suite().FuzzSearch(f) }

func suite() llmtest.Suite {
	return llmtest.Suite{
		Start: llmtest.NewOpenAI,
		New: func(url string, client *http.Client) llm.Provider {
			return openai.New(backend.Options{BaseURL: url, Token: llmtest.Token, HTTPClient: client}, openai.Compatible)
		},
		Model: "m",
		Audio: []string{files.WAV, files.MP3},
	}
}

func user(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: text} }

// chat makes a call and returns the response and the request that the server received.
func chat(t *testing.T, f openai.Flavor, req llm.Request, reply llmtest.Reply) (llm.Response, llmtest.Request) {
	t.Helper()
	server := llmtest.NewOpenAI(t, reply)
	p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, f)
	response, err := p.Chat(t.Context(), req, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	return response, server.Requests()[0]
}

func TestConversation(t *testing.T) {
	t.Parallel()
	_, req := chat(t, openai.Compatible, llm.Request{
		Model: "m",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "Be brief."},
			user("hi"), user("read both"),
			{Role: llm.RoleAssistant, Content: "Both.", Thinking: "hm", ToolCalls: []llm.ToolCall{
				{ID: "1", Name: "Read", Arguments: json.RawMessage(`{"path":"a"}`)}, {ID: "2", Name: "Read", Arguments: json.RawMessage(`{"path":`)},
			}},
			{Role: llm.RoleTool, ToolCallID: "2", Content: "malformed"},
			{Role: llm.RoleTool, ToolCallID: "1", Content: "A"},
			{Role: llm.RoleAssistant, Content: "[reminder]"},
		},
		Tools: []llm.ToolDefinition{{Name: "Read", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"maximum":12345678901234567890}}}`)}},
	}, llmtest.Text("ok"))
	want := []string{
		"system: Be brief.", "user: hi", "user: read both", "assistant: Both.", `call 1: Read {"path":"a"}`,
		`call 2: Read {"malformed_arguments":"{\"path\":"}`, "result 1: A", "result 2: malformed", "assistant: [reminder]",
	}
	if got := req.Lines(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var sent struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(req.Body, &sent); err != nil || len(sent.Tools) != 1 {
		t.Fatalf("got %s", req.Body)
	}
	if got, want := string(sent.Tools[0]), `{"function":{"name":"Read","description":"Reads.","parameters":{"type":"object","properties":{"n":{"maximum":12345678901234567890}}}},"type":"function"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	knobs := llm.Generation{
		Temperature: new(0.5), TopP: new(0.9), TopK: new(4), MaxOutputTokens: new(100), FrequencyPenalty: new(0.1),
		PresencePenalty: new(-0.1), Seed: new(7), Stop: []string{"END"},
	}
	tools := []llm.ToolDefinition{{Name: "Read"}}
	const common = "frequency_penalty:0.1 %spresence_penalty:-0.1 seed:7 stop:[END] temperature:0.5 %stop_p:0.9"
	for name, test := range map[string]struct {
		flavor openai.Flavor
		req    llm.Request
		want   string
	}{
		"nothing":                 {openai.Compatible, llm.Request{}, ``},
		"knobs":                   {openai.Compatible, llm.Request{Generation: knobs}, fmt.Sprintf(common, "max_tokens:100 ", "top_k:4 ")},
		"knobs of OpenAI":         {openai.OpenAI, llm.Request{Generation: knobs}, fmt.Sprintf(common, "max_completion_tokens:100 ", "")},
		"effort":                  {openai.Compatible, llm.Request{Think: llm.ThinkLow}, `reasoning_effort:low`},
		"on":                      {openai.Compatible, llm.Request{Think: llm.ThinkOn}, ``},
		"off":                     {openai.Compatible, llm.Request{Think: llm.ThinkOff}, ``},
		"effort, OpenAI":          {openai.OpenAI, llm.Request{Model: "gpt-5", Think: llm.ThinkHigh}, `reasoning_effort:high`},
		"on, OpenAI":              {openai.OpenAI, llm.Request{Model: "gpt-5", Think: llm.ThinkOn}, ``},
		"off, OpenAI":             {openai.OpenAI, llm.Request{Model: "gpt-5", Think: llm.ThinkOff}, ``},
		"off, OpenAI, newer":      {openai.OpenAI, llm.Request{Model: "gpt-5.1-codex", Think: llm.ThinkOff}, `reasoning_effort:none`},
		"effort, OpenAI, newest":  {openai.OpenAI, llm.Request{Model: "gpt-6-sol", Think: llm.ThinkHigh}, `reasoning_effort:high`},
		"tools, OpenAI":           {openai.OpenAI, llm.Request{Model: "gpt-5", Think: llm.ThinkHigh, Tools: tools}, `reasoning_effort:high tools:1`},
		"tools, OpenAI, newest":   {openai.OpenAI, llm.Request{Model: "gpt-5.6-terra", Think: llm.ThinkHigh, Tools: tools}, `reasoning_effort:none tools:1`},
		"tools, OpenAI, unasked":  {openai.OpenAI, llm.Request{Model: "gpt-6", Tools: tools}, `reasoning_effort:none tools:1`},
		"tools, OpenAI, no gpt":   {openai.OpenAI, llm.Request{Model: "o3", Think: llm.ThinkLow, Tools: tools}, `reasoning_effort:low tools:1`},
		"tools, OpenAI, odd name": {openai.OpenAI, llm.Request{Model: "gpt-oss", Tools: tools}, `tools:1`},
		"effort, Ollama":          {openai.Ollama, llm.Request{Think: llm.ThinkHigh}, `reasoning_effort:high`},
		"on, Ollama":              {openai.Ollama, llm.Request{Think: llm.ThinkOn}, `reasoning_effort:medium`},
		"off, Ollama":             {openai.Ollama, llm.Request{Think: llm.ThinkOff}, `reasoning_effort:none`},
		"effort, OpenRouter":      {openai.OpenRouter, llm.Request{Think: llm.ThinkHigh}, `reasoning:map[effort:high]`},
		"on, OpenRouter":          {openai.OpenRouter, llm.Request{Think: llm.ThinkOn}, `reasoning:map[enabled:true]`},
		"off, OpenRouter":         {openai.OpenRouter, llm.Request{Think: llm.ThinkOff}, `reasoning:map[enabled:false]`},
		"effort, llama.cpp":       {openai.LlamaCPP, llm.Request{Think: llm.ThinkLow}, `chat_template_kwargs:map[enable_thinking:true reasoning_effort:low]`},
		"on, llama.cpp":           {openai.LlamaCPP, llm.Request{Think: llm.ThinkOn}, `chat_template_kwargs:map[enable_thinking:true]`},
		"off, llama.cpp":          {openai.LlamaCPP, llm.Request{Think: llm.ThinkOff}, `chat_template_kwargs:map[enable_thinking:false]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.req.Messages = []llm.Message{user("hi")}
			if test.req.Model == "" {
				test.req.Model = "m"
			}
			_, req := chat(t, test.flavor, test.req, llmtest.Text("ok"))
			body := req.JSON()
			for _, key := range []string{"model", "messages", "stream", "stream_options"} {
				delete(body, key)
			}
			if tools, ok := body["tools"].([]any); ok {
				body["tools"] = len(tools)
			}
			if got, want := fmt.Sprint(body), "map["+test.want+"]"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{"length": llm.StopLength, "eos": llm.StopEnd, "content_filter": sdk.ErrorTypeContentFilter} {
		server := llmtest.NewOpenAI(t, llmtest.Reply{Text: "So", Stop: reply})
		p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, openai.Compatible)
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

// TestChunks covers the differences between servers in how they stream.
func TestChunks(t *testing.T) {
	t.Parallel()
	chunk := func(delta, finish string) string {
		return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	calls := func(parts string) string { return chunk(`{"tool_calls":[`+parts+`]}`, "null") }
	const stop = `"stop"`
	for name, test := range map[string]struct {
		raw  string
		want string
	}{
		"all numbered 0":     {calls(`{"index":0,"id":"a","function":{"name":"R","arguments":"{}"}}`) + calls(`{"index":0,"id":"b","function":{"name":"S","arguments":"{}"}}`) + chunk(`{}`, stop), ` [a R {}] [b S {}]`},
		"two in one chunk":   {calls(`{"index":0,"id":"a","function":{"name":"R","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"S","arguments":"{}"}}`) + chunk(`{}`, stop), ` [a R {}] [b S {}]`},
		"interleaved":        {calls(`{"index":0,"id":"a","function":{"name":"R","arguments":"{"}}`) + calls(`{"index":1,"id":"b","function":{"name":"S","arguments":"{"}}`) + calls(`{"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"}"}}`) + chunk(`{}`, stop), ` [a R {}] [b S {}]`},
		"repeated names":     {calls(`{"index":0,"id":"a","function":{"name":"R","arguments":"{"}}`) + calls(`{"index":0,"id":"a","function":{"name":"R","arguments":"}"}}`) + chunk(`{}`, stop), ` [a R {}]`},
		"no identifiers":     {calls(`{"index":0,"function":{"name":"R","arguments":"{}"}}`) + calls(`{"index":1,"function":{"name":"S","arguments":""}}`) + chunk(`{}`, stop), ` [ R {}] [ S {}]`},
		"without the end":    {chunk(`{"content":"Hi"}`, "null") + chunk(`{}`, stop), `Hi`},
		"with the last word": {chunk(`{"content":"Hi"}`, stop), `Hi`},
		"other choices":      {`data: {"choices":[{"index":1,"delta":{"content":"No"}},{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}` + "\n\n", `Hi`},
		"comments":           {": waiting\n\n" + chunk(`{"content":"Hi"}`, stop) + ": waiting\n\ndata: [DONE]\n\n", `Hi`},
		"reasoning":          {chunk(`{"reasoning":"hm"}`, "null") + chunk(`{"content":"Hi"}`, stop), `(hm)Hi`},
		"reasoning twice":    {chunk(`{"reasoning":"hm","reasoning_content":"hm"}`, "null") + chunk(`{"reasoning":null,"content":"Hi"}`, stop), `(hm)Hi`},
		"odd reasoning":      {chunk(`{"reasoning":{"text":"hm"}}`, "null") + chunk(`{"content":"Hi"}`, stop), `Hi`},
		"refusal":            {chunk(`{"refusal":"I cannot."}`, stop), `I cannot.`},
		"lines of Windows":   {"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\r\n\r\n", `Hi`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _ := chat(t, openai.Compatible, llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, llmtest.Reply{Raw: test.raw})
			got := response.Message.Content
			if response.Message.Thinking != "" {
				got = "(" + response.Message.Thinking + ")" + got
			}
			for _, call := range response.Message.ToolCalls {
				got += fmt.Sprintf(" [%s %s %s]", call.ID, call.Name, call.Arguments)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	server := llmtest.NewOpenAI(t, llmtest.Reply{Raw: "data: {\"choices\": nonsense " + llmtest.Token + "}\n\n"})
	p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, openai.Compatible)
	_, err := p.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, func(llm.Delta) {})
	if failure, ok := errors.AsType[*llm.Error](err); !ok || failure.Type != "" {
		t.Errorf("got %v", err)
	}
}
