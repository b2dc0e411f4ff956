package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from outside safe for a terminal: control characters but newline and tab go, invalid UTF-8 is replaced.
func clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !isBidi(r) {
			return r
		}
		return -1
	}, text)
}

// isBidi reports the characters that reorder what follows them.
func isBidi(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// oneLine is clean text on one line, cut after limit runes with a count of what is left out.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return fmt.Sprintf("%s… (%d more)", string(runes[:limit]), len(runes)-limit)
}
