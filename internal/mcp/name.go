package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is how long the name of a tool may be for every provider.
const maxName = 64

// toolName returns the name by which models call a tool: mcp__<server>__<tool>. It depends on the two names alone. Where
// it would be too long, have other characters than every provider takes, or be that of another pair, a hash tells it from
// the others.
func toolName(server, name string) string {
	full := "mcp__" + server + "__" + name
	plain := strings.Map(plainRune, full)
	// With these, the first "__" after the prefix would not be the border.
	unclear := strings.Contains(server, "__") || strings.HasSuffix(server, "_") || strings.HasPrefix(name, "_")
	if plain == full && len(full) <= maxName && !unclear {
		return full
	}
	sum := sha256.Sum256([]byte(server + "\x00" + name))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return plain[:min(len(plain), maxName-len(suffix))] + suffix
}

func plainRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
		return r
	default:
		return '_'
	}
}
