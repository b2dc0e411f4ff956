package builtin

import (
	"io"
	"strings"
	"unicode/utf8"
)

// stream is a writer that shows what passes through it as valid UTF-8, without tearing characters apart.
type stream struct {
	to   io.Writer
	show func(text string)
	// torn is the beginning of a character whose rest is still to come.
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

// flush shows what never became a character.
func (s *stream) flush() {
	if len(s.torn) > 0 {
		s.show("\uFFFD")
		s.torn = nil
	}
}

// unfinished is how many bytes at the end of a text may be the beginning of a character.
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
