package setup

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestCredentials checks that an error about a key names where the key comes from, and what to do, at every protocol and call.
func TestCredentials(t *testing.T) {
	t.Parallel()
	file := config.Source{File: "/p/providers.yaml"}
	rows := []struct {
		name string
		of   config.Provider
		want string
	}{
		{"a variable", config.Provider{Token: "k", TokenFrom: []string{"MY_KEY"}}, "401 Unauthorized: no; check the token of the provider; it comes from the variable MY_KEY"},
		{"two variables", config.Provider{Token: "k", TokenFrom: []string{"A", "B"}, Source: file}, "; it comes from the variables A and B"},
		{"a token in a file", config.Provider{Token: "k", Source: file}, "; it is written in /p/providers.yaml"},
		{"none, without a configuration", config.Provider{}, ", which has none; set the variable %s"},
		{"none, in a file", config.Provider{Name: "mine", Source: file}, ", which has none; add token: ${%s} to provider mine in /p/providers.yaml, and set that variable"},
	}
	kinds := map[config.ProviderType]string{
		config.ProviderAnthropic: "ANTHROPIC_API_KEY", config.ProviderOpenAI: "OPENAI_API_KEY", config.ProviderGoogle: "GEMINI_API_KEY", config.ProviderOpenRouter: "NAME",
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":{"message":"no"}}`))
		}))
		t.Cleanup(server.Close)
		for kind, variable := range kinds {
			for _, row := range rows {
				of := row.of
				of.Type, of.URL, of.Retry.MaxAttempts = kind, server.URL, 1
				made, err := NewProviders(&config.Config{}, nil, func(string) {}).Make(of)
				if err != nil {
					t.Fatal(err)
				}
				want := strings.Replace(row.want, "401 Unauthorized", fmt.Sprintf("%d %s", status, http.StatusText(status)), 1)
				if strings.Contains(want, "%s") {
					want = fmt.Sprintf(want, variable)
				}
				_, chat := made.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}, func(llm.Delta) {})
				_, list := ListModels(t.Context(), made)
				for call, err := range map[string]error{"chat": chat, "list": list} {
					if err == nil || !strings.HasSuffix(err.Error(), want) {
						t.Errorf("%s, %s, %s: got %v, want %q", kind, row.name, call, err, want)
					}
				}
			}
		}
	}
}
