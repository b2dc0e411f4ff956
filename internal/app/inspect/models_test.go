package inspect_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// plenty is a timeout that no test should reach.
const plenty = time.Minute

// listing returns services of all kinds, each of which lists models in its own way.
func listing(t *testing.T) map[string]config.Provider {
	t.Helper()
	openai, anthropic, google, ollama := llmtest.NewOpenAI(t), llmtest.NewAnthropic(t), llmtest.NewGoogle(t), llmtest.NewOpenAI(t)
	openai.Page("/v1/models", `{"object":"list","data":[{"id":"gpt-4o","object":"model"},{"id":"gpt-4","object":"model"},{"id":"whisper","object":"model"}]}`)
	anthropic.Page("/v1/models", `{"data":[{"id":"claude-sonnet-4-5","type":"model","display_name":"x","created_at":"2026-01-01T00:00:00Z"}],"has_more":false}`)
	google.Page("/v1beta/models", `{"models":[{"name":"models/gemini-2.5-pro","inputTokenLimit":1000,"supportedGenerationMethods":["generateContent"]},
		{"name":"models/embedder","supportedGenerationMethods":["embedContent"]}]}`)
	ollama.Page("/v1/models", `{"object":"list","data":[{"id":"qwen3:8b","object":"model"}]}`)
	ollama.Page("/api/show", `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`)
	return map[string]config.Provider{
		"b-openai": {Type: config.ProviderOpenAI, URL: openai.URL, Token: llmtest.Token, Timeout: plenty, Models: config.Models{
			Include: []string{"gpt-*"}, Exclude: []string{"gpt-4"},
		}},
		"c-anthropic": {Type: config.ProviderAnthropic, URL: anthropic.URL, Token: llmtest.Token},
		"d-google":    {Type: config.ProviderGoogle, URL: google.URL, Token: llmtest.Token},
		"a-ollama":    {Type: config.ProviderOllama, URL: ollama.URL},
		"e-script":    {Type: config.ProviderScript},
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	c := &config.Config{Entities: config.Entities{Providers: listing(t)}}
	c.Providers["f-broken"] = config.Provider{Type: config.ProviderOpenAI, URL: broken.URL + "/v1"}
	c.Providers["g-missing"] = config.Provider{Type: config.ProviderScript, File: filepath.Join(t.TempDir(), "none.yaml")}
	offers, err := inspect.Models(t.Context(), gate.Listing{Config: c, Text: c}, inspect.ModelOptions{Timeout: plenty})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range offers {
		words := []string{o.Provider, string(o.Type)}
		for _, m := range o.Models {
			words = append(words, m.Name, strings.Join(m.Capabilities, "+"))
		}
		if o.Err != nil {
			words = append(words, "failed")
		}
		got = append(got, strings.Join(words, " "))
	}
	want := []string{
		"a-ollama ollama qwen3:8b tools",
		"b-openai openai gpt-4o tools+vision+files",
		"c-anthropic anthropic claude-sonnet-4-5 tools+vision+files+thinking+thinking_levels+search",
		"d-google google gemini-2.5-pro tools+vision+files+audio+thinking+thinking_levels+search",
		"e-script script demonstration tools+thinking",
		"f-broken openai failed",
		"g-missing script failed",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if length := offers[0].Models[0].ContextLength; length != 40960 {
		t.Errorf("the context of the local model is %d", length)
	}
}

func TestModelsOfOne(t *testing.T) {
	t.Parallel()
	c := &config.Config{Entities: config.Entities{Providers: listing(t)}}
	offers, err := inspect.Models(t.Context(), gate.Listing{Config: c, Text: c}, inspect.ModelOptions{Provider: "e-script", Timeout: plenty})
	if err != nil || len(offers) != 1 || offers[0].Provider != "e-script" {
		t.Errorf("got %v, %v", offers, err)
	}
	if _, err := inspect.Models(t.Context(), gate.Listing{Config: c, Text: c}, inspect.ModelOptions{Provider: "x", Timeout: plenty}); err == nil || !strings.Contains(err.Error(), "known providers: a-ollama, b-openai") {
		t.Errorf("got %v", err)
	}
}

// TestModelsDetected checks which provider is asked if none is configured. A key takes precedence over a search for servers.
func TestModelsDetected(t *testing.T) {
	t.Parallel()
	c := &config.Config{Environ: []string{"ANTHROPIC_API_KEY=test-key"}}
	offers, err := inspect.Models(t.Context(), gate.Listing{Config: c, Text: c}, inspect.ModelOptions{Timeout: time.Nanosecond})
	if err != nil || len(offers) != 1 || offers[0].Provider != "anthropic" || offers[0].Err == nil || offers[0].URL != "https://api.anthropic.com" {
		t.Errorf("got %v, %v", offers, err)
	}
	demonstration, err := inspect.Models(t.Context(), gate.Listing{Config: c, Text: c}, inspect.ModelOptions{Provider: setup.DemonstrationName, Timeout: plenty})
	if err != nil || len(demonstration) != 1 || demonstration[0].Type != config.ProviderScript || demonstration[0].Err != nil {
		t.Errorf("got %v, %v", demonstration, err)
	}
}

func TestModelsStall(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	t.Cleanup(func() { close(done); silent.Close() })
	c := &config.Config{Entities: config.Entities{Providers: map[string]config.Provider{
		"quick":  {Type: config.ProviderScript},
		"silent": {Type: config.ProviderOpenAI, URL: silent.URL + "/v1"},
	}}}
	offers, err := inspect.Models(t.Context(), gate.Listing{Config: c, Text: c}, inspect.ModelOptions{Timeout: 50 * time.Millisecond})
	if err != nil || len(offers) != 2 || offers[0].Err != nil || offers[1].Err == nil || offers[1].Err.Error() != "no answer within 50ms" {
		t.Errorf("got %+v, %v", offers, err)
	}
}
