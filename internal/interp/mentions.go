package interp

import (
	"bytes"
	"slices"
)

// writers are the packages of the standard library that can write into a value without naming its parts.
var writers = []string{
	"database/sql", "encoding/asn1", "encoding/binary", "encoding/gob", "encoding/json", "encoding/xml", "html/template", "net/rpc",
	"net/rpc/jsonrpc", "reflect", "sort", "text/template", "unsafe",
}

// mentions reports whether a name occurs in the source as a whole word, comments and strings included: it may say yes without
// need, and no only if nothing can refer to the name, directly or by a package that needs no names.
func (s *source) mentions(name string) bool {
	if slices.ContainsFunc(writers, func(w string) bool { return slices.Contains(s.standard, w) }) {
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
