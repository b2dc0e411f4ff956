// Package catalog describes models. It has a built-in table for the large services, and a cache for descriptions that services
// report.
package catalog

import (
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
)

// The capabilities of a model.
const (
	Tools          = "tools"
	Vision         = llm.Vision
	Files          = llm.Files
	Audio          = llm.Audio
	Thinking       = "thinking"
	ThinkingLevels = "thinking_levels"
	Embedding      = "embedding"
	Search         = llm.Search
)

// row describes the models whose names begin with prefix.
type row struct {
	prefix, family string
	// context is the context length in tokens. If in doubt, it is too small rather than too large.
	context      int
	capabilities []string
}

var (
	sees      = []string{Tools, Vision, Files}
	finds     = []string{Tools, Vision, Files, Search}
	thinks    = []string{Tools, Vision, Files, Thinking, ThinkingLevels}
	thinksAs  = []string{Tools, Thinking, ThinkingLevels}
	thinksOut = []string{Tools, Vision, Files, Thinking, ThinkingLevels, Search}
	hears     = []string{Tools, Vision, Files, Audio}
	hearsOut  = []string{Tools, Vision, Files, Audio, Search}
	thinksAll = []string{Tools, Vision, Files, Audio, Thinking, ThinkingLevels, Search}
)

// rows is searched in order. The first row with a matching prefix applies.
var rows = []row{
	{"claude-3-5-", "claude", 200_000, finds},
	{"claude-3-7-", "claude", 200_000, thinksOut},
	{"claude-3-", "claude", 200_000, sees},
	{"claude-", "claude", 200_000, thinksOut},
	{"gpt-3.5-turbo", "gpt", 16_385, []string{Tools}},
	{"gpt-4o-audio", "gpt", 128_000, []string{Tools, Audio}},
	{"gpt-4o-mini-audio", "gpt", 128_000, []string{Tools, Audio}},
	{"gpt-audio", "gpt", 128_000, []string{Tools, Audio}},
	{"gpt-4o", "gpt", 128_000, finds},
	{"gpt-4.1-nano", "gpt", 1_047_576, sees},
	{"gpt-4.1", "gpt", 1_047_576, finds},
	{"gpt-4-turbo", "gpt", 128_000, []string{Tools, Vision}},
	{"gpt-4", "gpt", 8_192, []string{Tools}},
	{"gpt-5-chat", "gpt", 128_000, sees},
	{"gpt-5", "gpt", 400_000, thinksOut},
	{"o1-mini", "o", 128_000, []string{Thinking}},
	{"o1", "o", 200_000, thinks},
	{"o3-mini", "o", 200_000, thinksAs},
	{"o3", "o", 200_000, thinksOut},
	{"o4-mini", "o", 200_000, thinksOut},
	{"gemini-1.5-pro", "gemini", 2_097_152, hears},
	{"gemini-1.5-", "gemini", 1_048_576, hears},
	{"gemini-2.0-flash-lite", "gemini", 1_048_576, hears},
	{"gemini-2.0-", "gemini", 1_048_576, hearsOut},
	{"gemini-embedding", "gemini", 2_048, []string{Embedding}},
	{"gemini-", "gemini", 1_048_576, thinksAll},
}

// Known describes a model by its name alone. For an unknown model, only Name is set.
func Known(name string) llm.Model {
	m := llm.Model{Name: name}
	bare := strings.ToLower(name[strings.LastIndex(name, "/")+1:])
	for _, r := range rows {
		if strings.HasPrefix(bare, r.prefix) {
			m.Family, m.ContextLength, m.Capabilities = r.family, r.context, slices.Clone(r.capabilities)
			break
		}
	}
	if row, ok := known().find(name); ok {
		m.ContextLength = row.context
	}
	return m
}

// Fill sets the empty fields of a service's description from the built-in table.
func Fill(m llm.Model) llm.Model {
	known := Known(m.Name)
	if m.Family == "" {
		m.Family = known.Family
	}
	if m.ContextLength == 0 {
		m.ContextLength = known.ContextLength
	}
	if len(m.Capabilities) == 0 {
		m.Capabilities = known.Capabilities
	}
	return m
}
