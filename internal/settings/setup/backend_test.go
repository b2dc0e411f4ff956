package setup

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/sdk"
)

func TestDetectProvider(t *testing.T) {
	t.Parallel()
	rows := []struct {
		environ []string
		want    string
		told    string
	}{
		{[]string{"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=b", "GEMINI_API_KEY=c"}, "anthropic", "anthropic is used, because ANTHROPIC_API_KEY is set"},
		{[]string{"ANTHROPIC_API_KEY=", "OPENAI_API_KEY=b", "GEMINI_API_KEY=c"}, "openai", "openai is used, because"},
		{[]string{"GEMINI_API_KEY=c"}, "google", "google is used, because"},
		{[]string{"GEMINI_API_KEY=c", "GOOGLE_GEMINI_BASE_URL=http://g:1/"}, "google", "google is used at http://g:1, because GEMINI_API_KEY is set"},
		{[]string{"OPENAI_API_KEY=b", "ANTHROPIC_BASE_URL=http://a:1"}, "openai", "openai is used, because OPENAI_API_KEY"},
		{[]string{"OPENAI_BASE_URL=http://user:secret@a:1/api?key=secret"}, "openai", "openai is used at http://a:1/api, because OPENAI_BASE_URL is set"},
		{[]string{"GEMINI_API_KEY=c", "AURA_DEMONSTRATION=1"}, "google", "google is used, because"},
		{[]string{"OLLAMA_HOST=" + listening(t)}, "ollama", "ollama is used at http://127.0.0.1:"},
	}
	for _, row := range rows {
		var told []string
		found := NewProviders(&config.Config{Environ: row.environ, Inherited: row.environ}, nil, func(text string) { told = append(told, text) })
		p, name, err := found.Choose(t.Context(), "")
		if err != nil || p == nil || name != row.want {
			t.Errorf("%v: got %s, %v", row.environ, name, err)
		}
		if len(told) != 1 || !strings.Contains(told[0], row.told) || strings.Contains(told[0], "secret") || !strings.Contains(told[0], "to change that") {
			t.Errorf("%v: told %q", row.environ, told)
		}
	}
}

// TestNoProvider checks the error if there is no provider, and that the demonstration answers only if it is named.
func TestNoProvider(t *testing.T) {
	t.Parallel()
	environ := []string{"OLLAMA_HOST=127.0.0.1:1"}
	p := NewProviders(&config.Config{Environ: environ, Inherited: environ}, nil, func(text string) { t.Errorf("notice %q", text) })
	_, _, err := p.Choose(t.Context(), "")
	missing, ok := errors.AsType[*NoProviderError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{
		"nothing answers at http://127.0.0.1:1/v1, from OLLAMA_HOST", "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY", "--provider demonstration",
	} {
		if !strings.Contains(missing.Error(), part) {
			t.Errorf("%q is not in %q", part, missing)
		}
	}
	asking := append(environ, "AURA_DEMONSTRATION=1")
	wanted := NewProviders(&config.Config{Environ: asking, Inherited: asking}, nil, func(text string) { t.Errorf("notice %q", text) })
	if made, name, err := wanted.Choose(t.Context(), ""); made == nil || name != DemonstrationName || err != nil {
		t.Errorf("got %v, %s, %v", made, name, err)
	}
	if made, name, err := p.Choose(t.Context(), DemonstrationName); made == nil || name != DemonstrationName || err != nil {
		t.Errorf("got %v, %s, %v", made, name, err)
	}
}

// TestAnnouncedOnce checks that the notice about a detected provider is shown once for all sessions, and again if the provider changes.
func TestAnnouncedOnce(t *testing.T) {
	t.Parallel()
	paths := state.Locate(t.TempDir(), "", "project")
	for i, row := range []struct {
		environ string
		notices int
	}{{"OPENAI_API_KEY=k", 1}, {"OPENAI_API_KEY=other", 0}, {"GEMINI_API_KEY=k", 1}, {"GEMINI_API_KEY=k", 0}} {
		shown := 0
		p := NewProviders(&config.Config{Environ: []string{row.environ}, State: paths}, nil, func(string) { shown++ })
		if _, _, err := p.Choose(t.Context(), ""); err != nil || shown != row.notices {
			t.Errorf("session %d: %d notices, want %d; %v", i, shown, row.notices, err)
		}
	}
}

// listening returns the address of a server that accepts connections.
func listening(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// TestDetectEnvFile checks that addresses from env files, which are only in Environ, do not choose where a token is sent.
func TestDetectEnvFile(t *testing.T) {
	t.Parallel()
	var told string
	c := &config.Config{Environ: []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://evil.invalid"}}
	if _, name, err := NewProviders(c, nil, func(text string) { told += text }).Choose(t.Context(), ""); err != nil || name != "openai" || strings.Contains(told, "evil") {
		t.Errorf("got %s, %v, told %q", name, err, told)
	}
}

// TestAddress checks the addresses of providers.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		kind      config.ProviderType
		url, want string
	}{
		{config.ProviderAnthropic, "", "https://api.anthropic.com"},
		{config.ProviderOpenAI, "", "https://api.openai.com/v1"},
		{config.ProviderGoogle, "", "https://generativelanguage.googleapis.com"},
		{config.ProviderOllama, "", "http://127.0.0.1:11434/v1"},
		{config.ProviderLlamaCPP, "", "http://127.0.0.1:8080/v1"},
		{config.ProviderOpenRouter, "", "https://openrouter.ai/api/v1"},
		{config.ProviderScript, "", ""},
		{config.ProviderOpenAI, "http://u:p@host:1/", "http://host:1/v1"},
		{config.ProviderOpenAI, "http://host:1/api?token=secret", "http://host:1/api"},
		{config.ProviderOllama, "http://host:1", "http://host:1/v1"},
	} {
		if got := Address(config.Provider{Type: row.kind, URL: row.url}); got != row.want {
			t.Errorf("%s %s: got %s, want %s", row.kind, row.url, got, row.want)
		}
	}
}

// slow answers when its context ends.
type slow struct{ llm.Provider }

func (slow) Chat(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

func TestBoundedAndOffering(t *testing.T) {
	t.Parallel()
	var failed *llm.Error
	_, err := bounded{slow{}, time.Nanosecond}.Chat(t.Context(), llm.Request{}, nil)
	if !errors.As(err, &failed) || failed.Type != sdk.ErrorTypeNetwork {
		t.Errorf("a call that took too long: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (bounded{slow{}, time.Hour}).Chat(ended, llm.Request{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	some := offering{Provider: slow{}, models: config.Models{Include: []string{"gpt-*"}, Exclude: []string{"*-mini"}}}
	for model, allowed := range map[string]bool{"gpt-5": true, "gpt-5-mini": false, "other": false, "": true} {
		_, err := some.Chat(ended, llm.Request{Model: model}, nil)
		if refused := errors.As(err, &failed) && failed.Type == sdk.ErrorTypeModelUnavailable; refused == allowed {
			t.Errorf("%q: %v", model, err)
		}
	}
}

// TestScriptRetries checks that errors of a script are returned without a retry, unless the provider configures retries.
func TestScriptRetries(t *testing.T) {
	t.Parallel()
	const failing = "turns: [{error: {type: server, message: one}}, {error: {type: rate_limit, message: two}}, {text: three}]"
	rows := []struct {
		name, script string
		provider     config.Provider
		want         string
	}{
		{"as it comes", failing, config.Provider{}, "server: one"},
		{"twice", failing, config.Provider{Retry: config.Retry{MaxAttempts: 2, BaseDelay: 1}}, "rate_limit: two"},
		{"three times", failing, config.Provider{Retry: config.Retry{MaxAttempts: 3, BaseDelay: 1}}, ""},
		{"not in time", "turns: [{text: late, delay: 1h}]", config.Provider{Timeout: 1}, "network: no complete answer within 1ns"},
	}
	for _, row := range rows {
		file := filepath.Join(t.TempDir(), "script.yaml")
		if err := os.WriteFile(file, []byte(row.script), 0o600); err != nil {
			t.Fatal(err)
		}
		made := NewProviders(&config.Config{}, nil, func(string) {})
		row.provider.Type, row.provider.File = config.ProviderScript, file
		p, err := made.Make(row.provider)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Chat(t.Context(), llm.Request{}, func(llm.Delta) {})
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		}
	}
}

// TestIdleTimeout checks how long each kind of service may be silent.
func TestIdleTimeout(t *testing.T) {
	t.Parallel()
	const cloud, local = 30 * time.Second, 5 * time.Minute
	for _, row := range []struct {
		provider config.Provider
		want     time.Duration
	}{
		{config.Provider{Type: config.ProviderAnthropic}, cloud},
		{config.Provider{Type: config.ProviderOpenAI}, cloud},
		{config.Provider{Type: config.ProviderGoogle}, cloud},
		{config.Provider{Type: config.ProviderOpenRouter}, cloud},
		{config.Provider{Type: config.ProviderOllama}, local},
		{config.Provider{Type: config.ProviderOllama, URL: "http://gpu.lan:1"}, local},
		{config.Provider{Type: config.ProviderLlamaCPP}, local},
		{config.Provider{Type: config.ProviderOpenAI, URL: "http://127.0.0.1:8000/v1"}, local},
		{config.Provider{Type: config.ProviderOpenAI, URL: "http://localhost:8000/v1"}, local},
		{config.Provider{Type: config.ProviderAnthropic, URL: "http://[::1]:8000"}, local},
		{config.Provider{Type: config.ProviderOpenAI, URL: "http://gpu.lan:8000/v1"}, cloud},
		{config.Provider{Type: config.ProviderOllama, IdleTimeout: time.Second}, time.Second},
		{config.Provider{Type: config.ProviderAnthropic, IdleTimeout: time.Hour}, time.Hour},
	} {
		if got := idleTimeout(row.provider); got != row.want {
			t.Errorf("%+v: got %s, want %s", row.provider, got, row.want)
		}
	}
}
