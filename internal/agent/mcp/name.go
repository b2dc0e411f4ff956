package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest tool name that every provider accepts, in bytes.
const maxName = 64

// toolName returns the name by which models call a tool: mcp__<server>__<tool>. It depends only on the two names. A hash is
// appended if the name would be too long, if it contains characters that not every provider accepts, or if it could be the name
// of another pair.
func toolName(server, name string) string {
	full := "mcp__" + server + "__" + name
	plain := strings.Map(plainRune, full)
	// In these cases, the first "__" after the prefix would not separate the two names.
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
