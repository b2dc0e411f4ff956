package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

func TestDetectProvider(t *testing.T) {
	t.Parallel()
	rows := []struct {
		environ []string
		want    string
	}{
		{[]string{"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=b", "GEMINI_API_KEY=c"}, "anthropic"},
		{[]string{"ANTHROPIC_API_KEY=", "OPENAI_API_KEY=b", "GEMINI_API_KEY=c"}, "openai"},
		{[]string{"GEMINI_API_KEY=c"}, "google"},
	}
	for _, row := range rows {
		var told []string
		found := NewProviders(&config.Config{Environ: row.environ}, nil, func(text string) { told = append(told, text) })
		p, name, err := found.Detect(t.Context())
		if err != nil || p == nil || name != row.want {
			t.Errorf("%v: got %s, %v", row.environ, name, err)
		}
		if len(told) != 1 || !strings.Contains(told[0], row.want+" is used") || !strings.Contains(told[0], "to change that") {
			t.Errorf("%v: told %q", row.environ, told)
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
	some := offering{slow{}, config.Models{Include: []string{"gpt-*"}, Exclude: []string{"*-mini"}}}
	for model, allowed := range map[string]bool{"gpt-5": true, "gpt-5-mini": false, "other": false, "": true} {
		_, err := some.Chat(ended, llm.Request{Model: model}, nil)
		if refused := errors.As(err, &failed) && failed.Type == sdk.ErrorTypeModelUnavailable; refused == allowed {
			t.Errorf("%q: %v", model, err)
		}
	}
}

// TestScriptRetries takes errors of a script as they come, unless the provider says how often to ask again.
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
