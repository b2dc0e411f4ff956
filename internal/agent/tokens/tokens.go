// Package tokens counts the tokens of a text with an embedded tokenizer. Models use different vocabularies, so the count is an
// estimate for models that do not use this one.
package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// sampled is how many bytes of a text are counted. The rest is extrapolated: a longer text hardly fits into any context
	// window, and counting all of it would take too long.
	sampled = 1 << 20
	// blank is the maximum number of white space characters in a row that are counted at once. The tokenizer needs quadratic
	// time for a longer run.
	blank = 256
)

// Estimate returns the number of tokens of a text. It is at least one for a non-empty text, and at most the number of bytes.
func Estimate(text string) int {
	if text == "" {
		return 0
	}
	size := len(text)
	head := prefix(text, sampled)
	count := 0
	for rest := head; rest != ""; {
		n := piece(rest)
		count += exact(rest[:n])
		rest = rest[n:]
	}
	return max(1, int(int64(count)*int64(size)/int64(len(head))))
}

// exact counts the tokens of a text without sampling.
func exact(text string) int {
	n := 0
	known.encode(strings.ToValidUTF8(text, "\ufffd"), func(string) { n++ })
	return n
}

// piece returns the length of the beginning of a text that can be counted at once.
func piece(text string) int {
	run := 0
	for i, r := range text {
		if !unicode.IsSpace(r) {
			run = 0
			continue
		}
		if run++; run > blank {
			return i
		}
	}
	return len(text)
}

// prefix returns at most the first n bytes of a text. It does not split a character.
func prefix(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := n; i >= 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return text[:i]
		}
	}
	return text[:max(n, 0)]
}
