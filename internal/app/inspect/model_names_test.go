package inspect

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/state"
)

// TestModelNames checks that names are requested once and then cached, failures for a shorter time, and that nothing is sent
// from an untrusted directory.
func TestModelNames(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"big","object":"model"},{"id":"small","object":"model"}]}`))
	}))
	t.Cleanup(server.Close)
	c := &config.Config{
		State: state.Locate(t.TempDir(), "", t.TempDir()),
		Entities: config.Entities{Providers: map[string]config.Provider{
			"main":   {Name: "main", Type: config.ProviderOpenAI, URL: server.URL, Token: "x"},
			"closed": {Name: "closed", Type: config.ProviderOpenAI, URL: "http://127.0.0.1:1", Token: "x"},
		}},
	}
	l := gate.Listing{Config: c, Text: c}
	want := []ModelName{{"big", "main"}, {"small", "main"}}
	untrusted := l
	untrusted.Untrusted = &gate.UntrustedError{}
	if got := ModelNames(t.Context(), untrusted, time.Minute); len(got) > 0 || requests.Load() > 0 {
		t.Errorf("untrusted: got %v after %d requests", got, requests.Load())
	}
	for range 2 {
		if got := ModelNames(t.Context(), l, time.Minute); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if got := requests.Load(); got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
	if got := ModelNames(t.Context(), untrusted, time.Minute); !slices.Equal(got, want) {
		t.Errorf("what is remembered: got %v", got)
	}
	cache := filepath.Join(c.State.Cache(), "models.json")
	if err := os.WriteFile(cache, []byte(`{"x": 1`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ModelNames(t.Context(), l, time.Minute); !slices.Equal(got, want) || requests.Load() != 2 {
		t.Errorf("with a broken cache: got %v after %d requests", got, requests.Load())
	}
}

// TestModelNamesAreBounded checks that a provider that never answers does not block completion.
func TestModelNamesAreBounded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release); server.Close() })
	c := &config.Config{
		State:    state.Locate(t.TempDir(), "", t.TempDir()),
		Entities: config.Entities{Providers: map[string]config.Provider{"slow": {Name: "slow", Type: config.ProviderOpenAI, URL: server.URL, Token: "x"}}},
	}
	if got := ModelNames(context.Background(), gate.Listing{Config: c, Text: c}, 50*time.Millisecond); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestCachedModelsAge(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, row := range map[string]struct {
		cached cachedModels
		want   bool
	}{
		"an answer":           {cachedModels{now.Add(-modelsKept / 2), []string{"a"}}, true},
		"an empty answer":     {cachedModels{now.Add(-modelsKept / 2), []string{}}, true},
		"an old answer":       {cachedModels{now.Add(-modelsKept), []string{"a"}}, false},
		"silence":             {cachedModels{now.Add(-silenceKept / 2), nil}, true},
		"silence of long ago": {cachedModels{now.Add(-silenceKept), nil}, false},
		"from the future":     {cachedModels{now.Add(time.Hour), []string{"a"}}, false},
		"nothing":             {cachedModels{}, false},
	} {
		if got := row.cached.fresh(now); got != row.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
