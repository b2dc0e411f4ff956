package config_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestProviderAddress checks that the address of a provider comes from the environment if the configuration sets none.
func TestProviderAddress(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		provider string
		environ  string
		want     string
		from     string
	}{
		"openai":               {"{type: openai}", "OPENAI_BASE_URL=https://a.invalid/v1", "https://a.invalid/v1", "OPENAI_BASE_URL"},
		"anthropic":            {"{type: anthropic}", "ANTHROPIC_BASE_URL=https://a.invalid", "https://a.invalid", "ANTHROPIC_BASE_URL"},
		"google":               {"{type: google}", "GOOGLE_GEMINI_BASE_URL=https://a.invalid", "https://a.invalid", "GOOGLE_GEMINI_BASE_URL"},
		"of another type":      {"{type: openrouter}", "OPENAI_BASE_URL=https://a.invalid/v1", "", ""},
		"configured":           {"{type: openai, url: 'https://mine.invalid'}", "OPENAI_BASE_URL=https://a.invalid/v1", "https://mine.invalid", ""},
		"empty":                {"{type: openai}", "OPENAI_BASE_URL= ", "", ""},
		"not set":              {"{type: ollama}", "OTHER=x", "", ""},
		"ollama host":          {"{type: ollama}", "OLLAMA_HOST=gpu.lan", "http://gpu.lan:11434", "OLLAMA_HOST"},
		"ollama host and port": {"{type: ollama}", "OLLAMA_HOST=gpu.lan:1234", "http://gpu.lan:1234", "OLLAMA_HOST"},
		"ollama port":          {"{type: ollama}", "OLLAMA_HOST=:1234", "http://127.0.0.1:1234", "OLLAMA_HOST"},
		"ollama URL":           {"{type: ollama}", "OLLAMA_HOST=http://gpu.lan:1234", "http://gpu.lan:1234", "OLLAMA_HOST"},
		"ollama http":          {"{type: ollama}", "OLLAMA_HOST=http://gpu.lan", "http://gpu.lan:80", "OLLAMA_HOST"},
		"ollama https":         {"{type: ollama}", "OLLAMA_HOST=https://gpu.lan/ollama/", "https://gpu.lan:443/ollama", "OLLAMA_HOST"},
		"ollama everywhere":    {"{type: ollama}", "OLLAMA_HOST=0.0.0.0", "http://127.0.0.1:11434", "OLLAMA_HOST"},
		"ollama everywhere, 6": {"{type: ollama}", "OLLAMA_HOST=[::]:1234", "http://127.0.0.1:1234", "OLLAMA_HOST"},
		"ollama IPv6":          {"{type: ollama}", "OLLAMA_HOST=::1", "http://[::1]:11434", "OLLAMA_HOST"},
		"ollama IPv6 and port": {"{type: ollama}", "OLLAMA_HOST=[::1]:1234", "http://[::1]:1234", "OLLAMA_HOST"},
		"ollama quoted":        {"{type: ollama}", "OLLAMA_HOST=\"gpu.lan\"", "http://gpu.lan:11434", "OLLAMA_HOST"},
		"ollama no port":       {"{type: ollama}", "OLLAMA_HOST=gpu.lan:99999", "http://gpu.lan:11434", "OLLAMA_HOST"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := files{project + "providers/p.yaml": "p: " + row.provider}.options(t)
			o.Environ = []string{row.environ}
			got := load(t, o).Providers["p"]
			if got.URL != row.want || got.URLFrom != row.from || got.Usable() != nil {
				t.Errorf("got %q from %q, %v", got.URL, got.URLFrom, got.Usable())
			}
		})
	}
}

// TestProviderAddressRefused checks that a variable that is not an address makes its provider unusable, and that an env file
// cannot set such a variable.
func TestProviderAddressRefused(t *testing.T) {
	t.Parallel()
	o := files{project + "providers/p.yaml": "p: {type: openai}", "work/secrets.env": "ANTHROPIC_BASE_URL=https://evil.invalid\n"}.options(t)
	o.Environ = []string{"OPENAI_BASE_URL=localhost:8000", "OLLAMA_HOST=ftp://x"}
	c := load(t, o)
	checkError(t, c.Providers["p"].Usable(), "the variable OPENAI_BASE_URL is not an address: it begins with https:// or http://")
	if err := c.Unconfigured(config.ProviderOllama, "").Usable(); err == nil || !strings.Contains(err.Error(), "OLLAMA_HOST") {
		t.Errorf("got %v", err)
	}
	if p := c.Unconfigured(config.ProviderAnthropic, "k"); p.URL != "" || p.Token != "k" {
		t.Errorf("got %+v", p)
	}
}

// FuzzOllamaHost parses arbitrary values of OLLAMA_HOST. The result must be an address, or the provider must be unusable.
func FuzzOllamaHost(f *testing.F) {
	for _, seed := range []string{"gpu", "gpu:1", ":1", "http://gpu", "[::1]:1", "::1", "https://gpu/path", "\"gpu\"", "%", "a b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		c := &config.Config{Inherited: []string{"OLLAMA_HOST=" + value}}
		p := c.Unconfigured(config.ProviderOllama, "")
		if p.Usable() != nil || p.URL == "" {
			return
		}
		if u, err := url.Parse(p.URL); err != nil || u.Hostname() == "" || u.Port() == "" {
			t.Errorf("%q became %q, %v", value, p.URL, err)
		}
	})
}
