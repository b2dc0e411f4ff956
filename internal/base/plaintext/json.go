package plaintext

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes the characters in a JSON document that Show would remove or name and that encoding/json does not escape: DEL,
// the C1 characters, and characters that are invisible or change the order of others. The document decodes to the same values.
func JSON(document []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(document); {
		r, size := utf8.DecodeRune(document[i:])
		if r == 0x7f || r >= 0x80 && (isControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, blank...)) {
			out = append(append(out, document[done:i]...), escaped(r)...)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return document
	}
	return append(out, document[done:]...)
}

// escaped returns the JSON escape of a character, as a surrogate pair if necessary.
func escaped(r rune) string {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
