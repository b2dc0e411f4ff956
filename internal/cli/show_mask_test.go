package cli

import (
	"net/url"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestBareURL(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"https://host/v1":                 "https://host/v1",
		"http://127.0.0.1:8080/v1":        "http://127.0.0.1:8080/v1",
		"https://me@host":                 "https://...@host",
		"https://me:pw@host/v1?key=1&b=2": "https://...@host/v1?...",
		"https://host/v1#token":           "https://host/v1",
		"me:pw@host/v1":                   hidden,
		"http:/me:pw@host":                hidden,
		"host/v1":                         "host/v1",
	} {
		if got := bareURL(give); got != want {
			t.Errorf("%s: got %s, want %s", give, got, want)
		}
	}
}

func FuzzBareURL(f *testing.F) {
	f.Add("https://me:pw@host/v1?key=1")
	f.Add("me:pw@host")
	f.Fuzz(func(t *testing.T, text string) {
		got := bareURL(text)
		if got == hidden {
			return
		}
		u, err := url.Parse(got)
		if err != nil {
			return
		}
		if _, has := u.User.Password(); has || u.User != nil && u.User.Username() != "..." || u.RawQuery != "" && u.RawQuery != "..." {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

func TestMask(t *testing.T) {
	t.Parallel()
	m := newMask(&config.Config{
		Environ: []string{"API_TOKEN=environment-secret", "PIN_SECRET=1", "EDITOR=vi-editor"},
		Entities: config.Entities{
			Providers:  map[string]config.Provider{"p": {Token: "provider-token"}, "longer": {Token: "provider-token-and-more"}},
			MCPServers: map[string]config.MCPServer{"m": {Headers: map[string]string{"X": "header-value"}}},
		},
	})
	rows := []struct {
		path string
		give any
		want any
	}{
		{"token", "x", hidden},
		{"token", "", ""},
		{"model.generation.max_output_tokens", 10, 10},
		{"token_budget", 3, 3},
		{"env.PLAIN", "x", hidden},
		{"headers.Accept", "x", hidden},
		{"config.local.p.api_key", "x", hidden},
		{"config.local.p.password", "x", hidden},
		{"command", "curl environment-secret", "curl " + hidden},
		{"command", "curl provider-token", "curl " + hidden},
		{"command", "curl provider-token-and-more", "curl " + hidden},
		{"command", "curl header-value", "curl " + hidden},
		{"command", "vi-editor 1", "vi-editor 1"},
		{"url", "http://u:p@h", "http://...@h"},
		{"description", "plain", "plain"},
	}
	for _, row := range rows {
		if got := m.value(strings.Split(row.path, "."), row.give); got != row.want {
			t.Errorf("%s: %v becomes %v, want %v", row.path, row.give, got, row.want)
		}
	}
}
