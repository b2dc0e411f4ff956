package interp

import (
	"bytes"
	"slices"
)

// writers maps the packages of the standard library that can write into a value without naming its parts to the functions that
// do so. nil means that any function of the package may.
var writers = map[string][]string{
	"database/sql": nil, "encoding/asn1": nil, "encoding/binary": nil, "encoding/gob": nil, "encoding/xml": nil, "html/template": nil,
	"net/rpc": nil, "net/rpc/jsonrpc": nil, "reflect": nil, "text/template": nil, "unsafe": nil,
	// Plugins that only encode JSON are common, so only the decoding functions are listed.
	"encoding/json": {"Unmarshal", "NewDecoder", "Decoder"},
}

// mentionsOf returns for each name whether the source may refer to it.
func (s *source) mentionsOf(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	writes := s.writes()
	for _, name := range names {
		out[name] = writes || s.mentions(name)
	}
	return out
}

// writes reports whether the source could write into a value without naming the value's parts.
func (s *source) writes() bool {
	for pkg, functions := range writers {
		if slices.Contains(s.standard, pkg) && (functions == nil || slices.ContainsFunc(functions, s.mentions)) {
			return true
		}
	}
	return false
}

// mentions reports whether a name occurs in the source as a whole word, including comments and strings. A true result may be
// wrong; a false result guarantees that nothing refers to the name.
func (s *source) mentions(name string) bool {
	for _, p := range s.Packages {
		for _, f := range p.Files {
			if containsWord(f.Text, name) {
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
