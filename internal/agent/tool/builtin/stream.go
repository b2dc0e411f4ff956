package builtin

import (
	"io"
	"strings"
	"unicode/utf8"
)

// stream is a writer that also shows its input as valid UTF-8. It never splits a character.
type stream struct {
	to   io.Writer
	show func(text string)
	// torn holds the first bytes of an incomplete character.
	torn []byte
}

func (s *stream) Write(p []byte) (int, error) {
	if s.show != nil {
		text := append(s.torn, p...)
		whole := len(text) - unfinished(text)
		if whole > 0 {
			s.show(strings.ToValidUTF8(string(text[:whole]), "\uFFFD"))
		}
		s.torn = append([]byte(nil), text[whole:]...)
	}
	return s.to.Write(p)
}

// flush shows a replacement character for an incomplete character at the end.
func (s *stream) flush() {
	if len(s.torn) > 0 {
		s.show("\uFFFD")
		s.torn = nil
	}
}

// unfinished returns the number of bytes at the end of a text that may be the start of a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
