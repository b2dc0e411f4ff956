package llm_test

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

func TestParseThink(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]llm.Think{
		"": "", "off": llm.ThinkOff, "false": llm.ThinkOff, "on": llm.ThinkOn, "true": llm.ThinkOn, "low": llm.ThinkLow,
		"medium": llm.ThinkMedium, "high": llm.ThinkHigh,
	} {
		if got, err := llm.ParseThink(word); got != want || err != nil {
			t.Errorf("%q: got %q, %v", word, got, err)
		}
	}
	for _, word := range []string{"deep", "HIGH", "1", "low "} {
		if _, err := llm.ParseThink(word); err == nil {
			t.Errorf("%q is taken", word)
		}
	}
}
