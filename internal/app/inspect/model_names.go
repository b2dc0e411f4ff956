package inspect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/files"
)

const (
	// modelsKept is how long the names of a provider are cached. silenceKept is how long a provider that did not answer is not
	// asked again.
	modelsKept, silenceKept = time.Hour, time.Minute
	// maxModelCache limits the size of the cache file, in bytes. maxCachedModels limits the number of names per provider.
	maxModelCache, maxCachedModels = 1 << 20, 1000
)

// ModelName is a model that a provider offers.
type ModelName struct{ Name, Provider string }

// cachedModels holds the names that a provider returned at a time. Models is nil if the provider did not answer.
type cachedModels struct {
	Asked  time.Time `json:"asked"`
	Models []string  `json:"models"`
}

func (c cachedModels) fresh(now time.Time) bool {
	kept := modelsKept
	if c.Models == nil {
		kept = silenceKept
	}
	age := now.Sub(c.Asked)
	return age >= 0 && age < kept
}

// ModelNames returns the models of the providers for completion: the cached names, or those that a provider returns within the
// limit. A provider that fails has no models. In an untrusted directory, ModelNames sends no requests.
func ModelNames(ctx context.Context, l gate.Listing, limit time.Duration) []ModelName {
	path := filepath.Join(l.State.Cache(), "models.json")
	cache := readModelCache(path)
	keys := map[string]string{} // by provider
	for name, p := range l.Providers {
		keys[name] = modelKey(name, string(p.Type), p.URL, p.Models.Include, p.Models.Exclude)
	}
	if len(l.Providers) == 0 {
		keys[""] = modelKey("")
	}
	now := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	asked := map[string]cachedModels{}
	for name, key := range keys {
		if cache[key].fresh(now) || l.Untrusted != nil {
			continue
		}
		all.Go(func() {
			answer := cachedModels{Asked: now, Models: askNames(ctx, l, name, limit)}
			mu.Lock()
			defer mu.Unlock()
			asked[key] = answer
		})
	}
	all.Wait()
	if len(asked) > 0 {
		maps.Copy(cache, asked)
		writeModelCache(path, cache, now)
	}
	var out []ModelName
	for _, provider := range slices.Sorted(maps.Keys(keys)) {
		for _, name := range cache[keys[provider]].Models {
			out = append(out, ModelName{Name: name, Provider: provider})
		}
	}
	return out
}

func modelKey(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:16])
}

// askNames asks one provider, or the provider that a run would use if the name is empty. It returns nil if there is no answer.
func askNames(ctx context.Context, l gate.Listing, provider string, limit time.Duration) []string {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	offers, err := Models(limited, l, ModelOptions{Provider: provider, Timeout: limit, Notify: func(string) {}})
	if err != nil || len(offers) == 0 || offers[0].Err != nil {
		return nil
	}
	names := []string{}
	for _, m := range offers[0].Models[:min(len(offers[0].Models), maxCachedModels)] {
		names = append(names, m.Name)
	}
	return names
}

// readModelCache returns the cached names. It treats an unreadable file as empty, because the providers can be asked again.
func readModelCache(path string) map[string]cachedModels {
	out := map[string]cachedModels{}
	text, err := files.Read(path, maxModelCache)
	if err != nil || json.Unmarshal(text, &out) != nil || out == nil {
		return map[string]cachedModels{}
	}
	return out
}

// writeModelCache writes the answers that are still fresh. It ignores errors, because the next completion asks again.
func writeModelCache(path string, cache map[string]cachedModels, now time.Time) {
	maps.DeleteFunc(cache, func(_ string, c cachedModels) bool { return !c.fresh(now) })
	text, err := json.Marshal(cache)
	if err != nil || len(text) > maxModelCache || !filepath.IsAbs(path) || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = files.Replace(path, text, 0o600)
}
