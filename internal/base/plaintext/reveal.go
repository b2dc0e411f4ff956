package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Reveal returns text for a decision of the user. It removes nothing. Each control character except newline and tab, and each
// character that is invisible or changes the order of others, is replaced by its name. Show is not suitable here: the parts
// that it removes from a command would still take effect.
func Reveal(text string) string {
	if harmless(text) {
		return text
	}
	var out strings.Builder
	last := rune(0)
	for _, r := range strings.ToValidUTF8(text, string(utf8.RuneError)) {
		if isControl(r) || hides(r, last) {
			out.WriteString(named(r))
		} else {
			out.WriteRune(r)
		}
		last = r
	}
	return out.String()
}
