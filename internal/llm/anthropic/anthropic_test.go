package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/anthropic"
	"github.com/idelchi/aura/internal/llm/llmtest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	llmtest.Suite{
		Start: llmtest.NewAnthropic,
		New: func(url string, client *http.Client) llm.Provider {
			return anthropic.New(anthropic.Options{BaseURL: url, Token: llmtest.Token, HTTPClient: client})
		},
		Model: "claude-sonnet-4-5",
	}.Run(t)
}
