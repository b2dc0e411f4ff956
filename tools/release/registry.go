package main

import (
	"encoding/json"
	"fmt"
)

type (
	// registryEntry is aura's entry in the registry of agents that speak the Agent Client Protocol.
	registryEntry struct {
		ID           string               `json:"id"`
		Name         string               `json:"name"`
		Version      string               `json:"version"`
		Description  string               `json:"description"`
		Repository   string               `json:"repository"`
		Website      string               `json:"website"`
		Authors      []string             `json:"authors"`
		License      string               `json:"license"`
		LicenseURL   string               `json:"license_url"`
		Distribution registryDistribution `json:"distribution"`
	}
	registryDistribution struct {
		Binary map[string]registryTarget `json:"binary"`
	}
	registryTarget struct {
		Archive string   `json:"archive"`
		SHA256  string   `json:"sha256"`
		Cmd     string   `json:"cmd"`
		Args    []string `json:"args"`
	}
)

// registryIcon is what editors show beside the name. The registry wants 16 by 16 pixels and no colour of its own.
const registryIcon = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5"/>
  <circle cx="8" cy="8" r="2.5" fill="currentColor"/>
</svg>
`

// registry writes the entry for the registry, with the platforms that the release has.
func (r *releaser) registry() error {
	const home = "https://github.com/idelchi/aura"
	entry := registryEntry{
		ID: "aura", Name: "aura", Version: r.src.version, Description: summary, Repository: home, Website: home, Authors: []string{"idelchi"},
		License: "MIT", LicenseURL: home + "/blob/v" + r.src.version + "/LICENSE", Distribution: registryDistribution{map[string]registryTarget{}},
	}
	for _, p := range r.build.platforms {
		a, ok := r.archiveOf(p)
		if !ok {
			continue
		}
		arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.arch]
		entry.Distribution.Binary[p.os+"-"+arch] = registryTarget{
			Archive: fmt.Sprintf("%s/v%s/%s", r.url, r.src.version, a.name), SHA256: a.sha256,
			Cmd: fmt.Sprintf("./aura-%s-%s/%s", r.src.version, p, p.exe("aura")), Args: []string{"acp"},
		}
	}
	data, err := json.MarshalIndent(entry, "", "  ")
	if err != nil {
		return err
	}
	if err := r.text("agent.json", append(data, '\n')); err != nil {
		return err
	}
	return r.text("icon.svg", []byte(registryIcon))
}
