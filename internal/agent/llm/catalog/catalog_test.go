package catalog_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/sdk"
)

func TestKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		family  string
		context int
		thinks  bool
	}{
		"claude-opus-4-1":           {"claude", 200_000, true},
		"claude-3-haiku-20240307":   {"claude", 200_000, false},
		"claude-3-7-sonnet-latest":  {"claude", 200_000, true},
		"anthropic/claude-sonnet-4": {"claude", 200_000, true},
		"gpt-4o-mini":               {"gpt", 128_000, false},
		"gpt-4":                     {"gpt", 8_192, false},
		"gpt-4.1-nano":              {"gpt", 1_047_576, false},
		"gpt-5.1":                   {"gpt", 400_000, true},
		"o3":                        {"o", 200_000, true},
		"models/gemini-2.5-flash":   {"gemini", 1_048_576, true},
		"llama3.1:8b":               {"", 0, false},
		"":                          {"", 0, false},
	} {
		got := catalog.Known(name)
		if got.Name != name || got.Family != want.family || got.ContextLength != want.context || slices.Contains(got.Capabilities, catalog.Thinking) != want.thinks {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// TestSearch checks which models can search.
func TestSearch(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"claude-opus-4-1": true, "claude-sonnet-5-5": true, "claude-3-5-haiku-latest": true, "claude-3-haiku-20240307": false,
		"gpt-5.2": true, "gpt-5-chat-latest": false, "gpt-4.1": true, "gpt-4.1-nano": false, "gpt-4o-mini": true, "gpt-4o-audio-preview": false,
		"gpt-4-turbo": false, "o3": true, "o3-mini": false, "o4-mini": true, "gemini-1.5-pro": false, "gemini-2.0-flash": true,
		"gemini-2.0-flash-lite": false, "gemini-flash-latest": true, "gemini-embedding-001": false, "llama3.1:8b": false,
	} {
		if got := slices.Contains(catalog.Known(name).Capabilities, catalog.Search); got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	for name, want := range map[string]float64{"claude-sonnet-4-5": 10, "openai/gpt-5.2": 10, "o3": 10, "gemini-2.5-pro": 35, "gemini-3-pro": 14, "other": 0} {
		if got := catalog.SearchPrice(name); got != llm.PerThousand(want) {
			t.Errorf("a search with %s costs %d", name, got)
		}
	}
	if p, _, ok := catalog.Prices("gpt-5.2"); !ok || p.Search != llm.PerThousand(10) {
		t.Errorf("got %+v, %t", p, ok)
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	got := catalog.Fill(llm.Model{Name: "gpt-4o", ContextLength: 5})
	if got.ContextLength != 5 || got.Family != "gpt" || len(got.Capabilities) == 0 {
		t.Errorf("got %+v", got)
	}
	got = catalog.Fill(llm.Model{Name: "gpt-4o", Family: "mine", Capabilities: []string{"x"}})
	if got.ContextLength != 128_000 || got.Family != "mine" || got.Capabilities[0] != "x" {
		t.Errorf("got %+v", got)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err error
		// asked is how often the service is asked by two immediate calls and one more call after a minute.
		asked int
		known bool
	}{
		"answered":    {nil, 1, true},
		"refused":     {&llm.Error{Type: sdk.ErrorTypeModelUnavailable}, 1, false},
		"unreachable": {&llm.Error{Type: sdk.ErrorTypeNetwork}, 2, false},
		"odd":         {errors.New("what?"), 2, false},
		"slow":        {context.DeadlineExceeded, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				ask := func(context.Context) (llm.Model, error) {
					asked++
					return llm.Model{ContextLength: 7, Capabilities: []string{"x"}}, test.err
				}
				var c catalog.Cache
				for _, pause := range []time.Duration{0, time.Minute, 0} {
					got := c.Get(t.Context(), "gpt-4", ask)
					if known := got.ContextLength == 7; known != test.known || !known && got.ContextLength != 8_192 {
						t.Errorf("got %+v", got)
					}
					if got.Capabilities[0] == "changed" {
						t.Error("the caller changed the cache")
					}
					got.Capabilities[0] = "changed"
					time.Sleep(pause)
				}
				if asked != test.asked {
					t.Errorf("asked %d times, want %d", asked, test.asked)
				}
			})
		})
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var c catalog.Cache
		got := c.Get(t.Context(), "m", func(ctx context.Context) (llm.Model, error) {
			<-ctx.Done()
			return llm.Model{ContextLength: 7}, ctx.Err()
		})
		if took := time.Since(began); got.ContextLength != 0 || took != 3*time.Second {
			t.Errorf("got %+v after %s", got, took)
		}
	})
}

// TestCancelled checks that a cancellation by the caller is not cached as a failure of the service.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var c catalog.Cache
	c.Get(ctx, "m", func(context.Context) (llm.Model, error) { cancel(); return llm.Model{}, ctx.Err() })
	got := c.Get(t.Context(), "m", func(context.Context) (llm.Model, error) { return llm.Model{ContextLength: 7}, nil })
	if got.ContextLength != 7 {
		t.Errorf("got %+v", got)
	}
}
