package builtin

import (
	"fmt"

	"github.com/idelchi/aura/internal/base/limit"
)

// checkPattern refuses a pattern that is too long, before it is parsed.
func checkPattern(pattern string) error {
	if len(pattern) > limit.PatternBytes {
		return fmt.Errorf("the pattern has %d bytes, and the limit is %s", len(pattern), limit.Size(limit.PatternBytes))
	}
	return nil
}

// alternatives returns the patterns without braces that a valid pattern with braces stands for. It refuses a pattern that stands for
// too many.
func alternatives(pattern string) ([]string, error) {
	out := []string{""}
	for at := 0; at < len(pattern); {
		start, end, choices := nextBraces(pattern, at)
		parts := []string{""}
		if choices != nil {
			parts = nil
		}
		for _, choice := range choices {
			inner, err := alternatives(choice)
			if err != nil {
				return nil, err
			}
			parts = append(parts, inner...)
		}
		if len(out)*len(parts) > limit.GlobAlternatives {
			return nil, fmt.Errorf("its braces stand for more than %d patterns; use fewer braces, or one call for each alternative", limit.GlobAlternatives)
		}
		next := make([]string, 0, len(out)*len(parts))
		for _, before := range out {
			for _, part := range parts {
				next = append(next, before+pattern[at:start]+part)
			}
		}
		out, at = next, end
	}
	return out, nil
}

// nextBraces returns where the first braces at or after an offset start and end, and the texts between their commas. Without braces,
// both offsets are the end of the pattern.
func nextBraces(pattern string, from int) (start, end int, choices []string) {
	depth, class, comma := 0, false, 0
	for i := from; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if i+1 < len(pattern) && (pattern[i+1] == '^' || pattern[i+1] == '!') {
				i++
			}
		case c == '{':
			if depth++; depth == 1 {
				start, comma = i, i+1
			}
		case c == ',' && depth == 1:
			choices, comma = append(choices, pattern[comma:i]), i+1
		case c == '}':
			if depth--; depth == 0 {
				return start, i + 1, append(choices, pattern[comma:i])
			}
		}
	}
	return len(pattern), len(pattern), nil
}
