package filefind

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// quality says how well a query fits a word. A lower value is better. The end of a word is its base name or, if the query has
// slashes, as many names more.
type quality uint64

const (
	prefix     quality = iota // the end of the word begins with the query
	inEnd                     // the query is a part of the end
	inWord                    // the query is a part of the word
	scattered                 // the characters of the query are in the end, in their order
	everywhere                // the characters of the query are in the word, in their order
)

// Rank returns the indexes of the words that a query fits, the best first, at most the given number. Upper and lower case are equal.
// Words that begin with the query come first, then those that contain it, then those that contain its characters in their order. For
// a word that is a path this is about its base name first. Among equals shorter words come first, then those that are earlier in
// words. An empty query fits all words, in their order.
func Rank(query string, words []string, most int) []int {
	return rank(strings.ToLower(query), most, func(yield func(int, string) bool) {
		for i, word := range words {
			if !yield(i, strings.ToLower(word)) {
				return
			}
		}
	})
}

// rank is Rank for a query and words in lower case. The index of a word is less than 1<<32.
func rank(query string, most int, words iter.Seq2[int, string]) []int {
	const (
		lengthBits = 24
		indexBits  = 32
	)
	slashes := strings.Count(query, "/")
	var keys []uint64
	for i, word := range words {
		fit, _, ok := match(query, slashes, word)
		if !ok {
			continue
		}
		length := uint64(min(len(word), 1<<lengthBits-1))
		if query == "" {
			length = 0
		}
		keys = append(keys, (uint64(fit)<<lengthBits|length)<<indexBits|uint64(i))
	}
	slices.Sort(keys)
	out := make([]int, 0, max(0, min(most, len(keys))))
	for _, key := range keys[:cap(out)] {
		out = append(out, int(key&(1<<indexBits-1)))
	}
	return out
}

// match reports how a query with a number of slashes fits a word, both in lower case. It returns where the query, or the part of the
// word in which its characters are, begins.
func match(query string, slashes int, word string) (fit quality, at int, ok bool) {
	end := endOf(word, slashes)
	if at = strings.Index(word, query); at < 0 {
		if !scatteredIn(query, word) {
			return everywhere, 0, false
		}
		if !scatteredIn(query, word[end:]) {
			return everywhere, 0, true
		}
		return scattered, end, true
	}
	switch inside := strings.Index(word[end:], query); {
	case inside == 0:
		return prefix, end, true
	case inside > 0:
		return inEnd, end + inside, true
	default:
		return inWord, at, true
	}
}

// endOf returns where the end of a word begins.
func endOf(word string, slashes int) int {
	at := len(word)
	for range slashes + 1 {
		if at = strings.LastIndexByte(word[:max(0, at)], '/'); at < 0 {
			return 0
		}
	}
	return at + 1
}

func scatteredIn(query, word string) bool {
	next, size := utf8.DecodeRuneInString(query)
	for _, r := range word {
		if r != next {
			continue
		}
		if query = query[size:]; query == "" {
			return true
		}
		next, size = utf8.DecodeRuneInString(query)
	}
	return query == ""
}

// positions returns where the characters of a query are in a word that it fits, in bytes. The query is in lower case.
func positions(query, word string) []int {
	lower := strings.ToLower(word)
	fit, at, ok := match(query, strings.Count(query, "/"), lower)
	if !ok {
		return nil
	}
	// Both cases of a character may have different sizes, but they are one character each.
	skip, wanted := utf8.RuneCountInString(lower[:at]), []rune(query)
	folded := []rune(lower)
	out := make([]int, 0, len(wanted))
	index := 0
	for place := range word {
		if len(out) == len(wanted) {
			break
		}
		if index >= skip && (fit <= inWord || folded[index] == wanted[len(out)]) {
			out = append(out, place)
		}
		index++
	}
	return out
}
