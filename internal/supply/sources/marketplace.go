package sources

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/index"
)

// marketplace is what aura reads of a list of plugins of Claude Code.
type marketplace struct {
	name    string
	entries []index.Entry
}

const (
	maxDescription = 1000
	maxKeywords    = 20
	maxKeyword     = 50
)

// parseMarketplace reads a list. Its format is not aura's, so entries that cannot be read are left out.
func parseMarketplace(text []byte) (marketplace, error) {
	var l struct {
		Name    string            `json:"name"`
		Plugins []json.RawMessage `json:"plugins"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return marketplace{}, fmt.Errorf("reading %s: %w", marketplaceFile, err)
	}
	if len(l.Plugins) > index.MaxEntries {
		return marketplace{}, fmt.Errorf("reading %s: it has more than the limit of %d plugins", marketplaceFile, index.MaxEntries)
	}
	m := marketplace{name: strings.ToLower(l.Name)}
	for _, raw := range l.Plugins {
		var e struct {
			Name        string   `json:"name"`
			Description string   `json:"description"`
			Category    string   `json:"category"`
			Keywords    []string `json:"keywords"`
			Tags        []string `json:"tags"`
		}
		if json.Unmarshal(raw, &e) != nil || manifest.CheckName(e.Name) != nil {
			continue
		}
		words := []string{}
		for _, word := range append(append(e.Keywords, e.Tags...), e.Category) {
			if word != "" && len(words) < maxKeywords {
				words = append(words, cut(word, maxKeyword))
			}
		}
		m.entries = append(m.entries, index.Entry{Name: e.Name, Description: cut(e.Description, maxDescription), Keywords: words})
	}
	return m, nil
}

// cut returns the beginning of a text, of at most limit bytes.
func cut(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}
