package index

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Hash returns the hash of the file of an index.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// The ranks of what matches a word. A better match has a higher rank.
const (
	inDescription = 1 << iota
	inKeyword
	wholeKeyword
	inName
	beginsName
	wholeName
)

// Rank returns how well the entry fits words; 0 if one of them does not occur in it. Without words, every entry fits.
func (e Entry) Rank(words []string) int {
	total := 1
	for _, word := range words {
		rank := e.rank(strings.ToLower(word))
		if rank == 0 {
			return 0
		}
		total += rank
	}
	return total
}

func (e Entry) rank(word string) int {
	name := strings.ToLower(e.Name)
	keyword := func(match func(keyword string) bool) bool {
		return slices.ContainsFunc(e.Keywords, func(k string) bool { return match(strings.ToLower(k)) })
	}
	switch {
	case name == word:
		return wholeName
	case strings.HasPrefix(name, word):
		return beginsName
	case strings.Contains(name, word):
		return inName
	case keyword(func(k string) bool { return k == word }):
		return wholeKeyword
	case keyword(func(k string) bool { return strings.Contains(k, word) }):
		return inKeyword
	case strings.Contains(strings.ToLower(e.Description), word):
		return inDescription
	}
	return 0
}
