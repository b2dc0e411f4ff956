package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Reveal is text that somebody decides about: nothing is removed. Each control character but newline and tab, and each character that
// is invisible or changes the order of others, is shown by its name. What Show leaves out of a command, the command would still do.
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
