// Package charsets reads pages that are not UTF-8. The tables for it weigh most of a megabyte, so only aura-tool-host has them.
package charsets

import (
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// probe is how much of a page is looked at to find its encoding, in bytes.
const probe = 1024

// Decode is a web.Decode for the encodings that browsers know.
func Decode(data []byte, contentType string) []byte {
	encoding, name, certain := charset.DetermineEncoding(data[:min(len(data), probe)], contentType)
	if name == "utf-8" || !certain && utf8.Valid(data) {
		return data
	}
	out, err := encoding.NewDecoder().Bytes(data)
	if err != nil {
		return data // what is not valid is replaced later
	}
	return out
}
