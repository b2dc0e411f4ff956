package interp

import (
	"bytes"
	"slices"
)

// mentions reports whether a name occurs in the source as a whole word, comments and strings included: it may say yes without
// need, and no only if nothing can refer to the name. Reflection needs no names.
func (s *source) mentions(name string) bool {
	if slices.Contains(s.standard, "reflect") || slices.Contains(s.standard, "unsafe") {
		return true
	}
	for _, p := range s.packages {
		for _, f := range p.files {
			if containsWord(f.text, name) {
				return true
			}
		}
	}
	return false
}

func containsWord(text []byte, word string) bool {
	for start := 0; ; {
		i := bytes.Index(text[start:], []byte(word))
		if i < 0 {
			return false
		}
		begin, end := start+i, start+i+len(word)
		if (begin == 0 || !isWordByte(text[begin-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		start = end
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
