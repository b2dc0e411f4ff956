package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/agent/llm/openai"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk"
)

func TestModel(t *testing.T) {
	t.Parallel()
	const list = `{"object":"list","data":[
		{"id":"first","object":"model"},
		{"id":"vllm","object":"model","max_model_len":32768},
		{"id":"router/x","context_length":1000,"architecture":{"input_modalities":["text","image","file","audio"]},"supported_parameters":["tools","reasoning"]},
		{"id":"llama","meta":{"n_ctx_train":4096,"n_params":8030261248}},
		{"id":"gpt-4o","object":"model"},
		{"id":"odd","context_length":"many"}]}`
	for name, test := range map[string]struct {
		flavor openai.Flavor
		pages  map[string]string
		ask    string
		want   llm.Model
	}{
		"OpenAI, known":       {openai.OpenAI, nil, "gpt-4o", llm.Model{Name: "gpt-4o", Family: "gpt", ContextLength: 128_000, Capabilities: []string{"tools", "vision", "files", "search"}}},
		"OpenAI, unknown":     {openai.OpenAI, nil, "gpt-99", llm.Model{Name: "gpt-99"}},
		"unreachable":         {openai.Compatible, nil, "x", llm.Model{Name: "x"}},
		"unreachable default": {openai.Compatible, nil, "", llm.Model{}},
		"default":             {openai.Compatible, map[string]string{"/v1/models": list}, "", llm.Model{Name: "first"}},
		"vLLM":                {openai.Compatible, map[string]string{"/v1/models": list}, "vllm", llm.Model{Name: "vllm", ContextLength: 32768}},
		"OpenRouter":          {openai.OpenRouter, map[string]string{"/v1/models": list}, "router/x", llm.Model{Name: "router/x", ContextLength: 1000, Capabilities: []string{"tools", "vision", "files", "audio", "thinking", "thinking_levels"}}},
		"meta":                {openai.Compatible, map[string]string{"/v1/models": list}, "llama", llm.Model{Name: "llama", ContextLength: 4096, ParameterCount: 8_030_261_248}},
		"known elsewhere":     {openai.Compatible, map[string]string{"/v1/models": list}, "gpt-4o", llm.Model{Name: "gpt-4o", Family: "gpt", ContextLength: 128_000, Capabilities: []string{"tools", "vision", "files"}}},
		"odd entry":           {openai.Compatible, map[string]string{"/v1/models": list}, "odd", llm.Model{Name: "odd"}},
		"not in the list":     {openai.Compatible, map[string]string{"/v1/models": list}, "other", llm.Model{Name: "other"}},
		"Ollama": {
			openai.Ollama,
			map[string]string{"/api/show": `{"capabilities":["completion","tools","thinking"],"details":{"family":"qwen3"},
			"model_info":{"general.architecture":"qwen3","general.parameter_count":8190735360,"qwen3.context_length":40960}}`},
			"qwen3:8b",
			llm.Model{Name: "qwen3:8b", Family: "qwen3", ParameterCount: 8_190_735_360, ContextLength: 40960, Capabilities: []string{"tools", "thinking"}},
		},
		"Ollama, configured": {
			openai.Ollama,
			map[string]string{"/api/show": `{"parameters":"stop \"<x>\"\nnum_ctx                        8192\n","thinking":{"values":["low","high"]},
			"model_info":{"general.architecture":"gptoss","gptoss.context_length":131072}}`},
			"gpt-oss",
			llm.Model{Name: "gpt-oss", ContextLength: 8192, Capabilities: []string{"thinking_levels"}},
		},
		"Ollama, unknown": {openai.Ollama, nil, "x", llm.Model{Name: "x"}},
		"llama.cpp": {
			openai.LlamaCPP,
			map[string]string{"/props": `{"default_generation_settings":{"n_ctx":16384},"modalities":{"vision":true,"audio":true}}`},
			"any",
			llm.Model{Name: "any", ContextLength: 16384, Capabilities: []string{"tools", "vision", "audio"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.NewOpenAI(t)
			for path, body := range test.pages {
				server.Page(path, body)
			}
			p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, test.flavor)
			if test.flavor == openai.OpenAI {
				p = openai.New(backend.Options{BaseURL: server.URL, HTTPClient: &http.Client{Transport: nobody{}}}, test.flavor)
			}
			if test.want.Name != "" {
				test.want.Audio = []string{files.WAV, files.MP3}
			}
			for range 2 {
				if got, err := p.Model(t.Context(), test.ask); err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("got %+v, %v\nwant %+v", got, err, test.want)
				}
			}
		})
	}
}

// nobody is a transport that fails every request.
type nobody struct{}

func (nobody) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("asked") }

func TestModels(t *testing.T) {
	t.Parallel()
	server := llmtest.NewOpenAI(t, llmtest.Text("ok"), llmtest.Text("ok"))
	p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, openai.Compatible)
	if list, err := p.Models(t.Context()); err == nil {
		t.Errorf("got %+v of a server that has no list", list)
	}
	server.Page("/v1/models", `{"data":[]}`)
	ask := llm.Request{Messages: []llm.Message{user("hi")}}
	_, err := p.Chat(t.Context(), ask, func(llm.Delta) {})
	if failure, ok := errors.AsType[*llm.Error](err); !ok || failure.Type != sdk.ErrorTypeModelUnavailable {
		t.Errorf("got %v", err)
	}
	server.Page("/v1/models", `{"data":[{"id":"a"},{"id":"b"}]}`)
	if list, err := p.Models(t.Context()); err != nil || len(list) != 2 || list[1].Name != "b" {
		t.Errorf("got %+v, %v", list, err)
	}
	for range 2 {
		if _, err := p.Chat(t.Context(), ask, func(llm.Delta) {}); err != nil {
			t.Fatal(err)
		}
		server.Page("/v1/models", `{"data":[{"id":"c"}]}`)
	}
	for _, req := range server.Requests() {
		if req.JSON()["model"] != "a" {
			t.Errorf("asked for %v", req.JSON()["model"])
		}
	}
}

// seen records the addresses of requests.
type seen struct{ urls []string }

func (s *seen) RoundTrip(req *http.Request) (*http.Response, error) {
	s.urls = append(s.urls, req.Method+" "+req.URL.String()+" "+req.Header.Get("Authorization"))
	return nil, errors.New("no")
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		opts   backend.Options
		flavor openai.Flavor
		want   string
	}{
		{backend.Options{}, openai.Compatible, "POST https://api.openai.com/v1/chat/completions "},
		{backend.Options{Token: "t"}, openai.Compatible, "POST https://api.openai.com/v1/chat/completions Bearer t"},
		{backend.Options{BaseURL: "http://h:1"}, openai.Compatible, "POST http://h:1/v1/chat/completions "},
		{backend.Options{BaseURL: "http://h:1/"}, openai.Compatible, "POST http://h:1/v1/chat/completions "},
		{backend.Options{BaseURL: "http://h:1/v1/"}, openai.Compatible, "POST http://h:1/v1/chat/completions "},
		{backend.Options{BaseURL: "http://h:1/api/openai"}, openai.Compatible, "POST http://h:1/api/openai/chat/completions "},
		{backend.Options{}, openai.Ollama, "POST http://127.0.0.1:11434/v1/chat/completions "},
		{backend.Options{BaseURL: "http://h:1/sub"}, openai.Ollama, "POST http://h:1/sub/v1/chat/completions "},
		{backend.Options{}, openai.LlamaCPP, "POST http://127.0.0.1:8080/v1/chat/completions "},
		{backend.Options{}, openai.OpenRouter, "POST https://openrouter.ai/api/v1/chat/completions "},
	} {
		s := &seen{}
		test.opts.HTTPClient = &http.Client{Transport: s}
		_, err := openai.New(test.opts, test.flavor).Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, func(llm.Delta) {})
		if err == nil || len(s.urls) != 1 || s.urls[0] != test.want {
			t.Errorf("%+v: got %q, %v", test.opts, s.urls, err)
		}
	}
	s := &seen{}
	p := openai.New(backend.Options{BaseURL: "http://h:1/sub", HTTPClient: &http.Client{Transport: s}}, openai.Ollama)
	if m, err := p.Model(t.Context(), "x"); err != nil || m.Name != "x" || fmt.Sprint(s.urls) != "[POST http://h:1/sub/api/show ]" {
		t.Errorf("got %+v, %v, %q", m, err, s.urls)
	}
}

// TestIdle checks that a silent server is abandoned after the idle timeout.
func TestIdle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flavor openai.Flavor
		idle   time.Duration
		want   time.Duration
	}{
		{openai.LlamaCPP, 5 * time.Minute, 5 * time.Minute},
		{openai.Ollama, time.Second, time.Second},
		{openai.OpenRouter, 0, 30 * time.Second},
		{openai.OpenAI, 0, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := openai.New(backend.Options{IdleTimeout: test.idle, HTTPClient: &http.Client{Transport: slow{}}}, test.flavor)
			began := time.Now()
			_, err := p.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{user("hi")}}, func(llm.Delta) {})
			if took := time.Since(began); took != test.want || err == nil || !strings.Contains(err.Error(), "no data for "+test.want.String()) {
				t.Errorf("%s: got %v after %s", test.flavor, err, took)
			}
		})
	}
}

type slow struct{}

func (slow) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// TestNoName checks the advice in the error if no model is named.
func TestNoName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		list string
		want string
	}{
		"no models": {`{"object":"list","data":[]}`, "model_unavailable: the server lists no models, and none is named: load one in the server, or name one with --model or model.name of the agent"},
		"no list":   {"", "listing the models, because none is named: 404 Not Found: no such address: /v1/models; "},
		"a page":    {"<html>", "/v1/models answered with a web page instead of a model's answer; check the url of the provider; or name one with --model or model.name of the agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.NewOpenAI(t)
			if test.list != "" {
				server.Page("/v1/models", test.list)
			}
			p := openai.New(backend.Options{BaseURL: server.URL, Token: llmtest.Token}, openai.Compatible)
			_, err := p.Chat(t.Context(), llm.Request{Messages: []llm.Message{user("hi")}}, func(llm.Delta) {})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want … %s …", err, test.want)
			}
		})
	}
}
