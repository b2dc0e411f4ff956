package cli

import (
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/sources"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// TestPermittedSources checks that the policy of the machine decides which indexes may be used.
func TestPermittedSources(t *testing.T) {
	t.Parallel()
	p, err := machinepolicy.Parse("policy.yaml", []byte("sources: [\"https://plugins.example.com/*\"]"))
	if err != nil {
		t.Fatal(err)
	}
	for address, permitted := range map[string]bool{
		"https://plugins.example.com/index.json": true,
		"https://plugins.example.org/index.json": false,
		"http://plugins.example.com/index.json":  false,
	} {
		o := sourcesIn(&config.Config{Restricted: config.Restricted{Machine: p}}, install.Options{})
		if err := o.Allow(sources.Identity{Name: "acme", URL: address}); (err == nil) != permitted {
			t.Errorf("%s: permitted should be %t, got %v", address, permitted, err)
		}
	}
	if err := sourcesIn(&config.Config{}, install.Options{}).Allow(sources.Identity{URL: "https://plugins.example.org/index.json"}); err != nil {
		t.Errorf("without a policy: %v", err)
	}
}
