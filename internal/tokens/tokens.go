// Package tokens counts the tokens of a text with an embedded tokenizer. Models use different vocabularies, so the count is an
// estimate for models that do not use this one.
package tokens

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

const (
	// sampled is how many bytes of a text are counted. The rest is extrapolated: a longer text hardly fits into any context
	// window, and counting all of it would take too long.
	sampled = 1 << 20
	// blank is the maximum number of white space characters in a row that are counted at once. The tokenizer needs quadratic
	// time for a longer run.
	blank = 256
)

// vocabulary returns the cl100k vocabulary. It is the smallest of the modern ones, and Llama 3's vocabulary is derived from it.
// Building it takes about 10 ms and 3.4 MB, so it is built when the first text is counted.
var vocabulary = sync.OnceValue(codec.NewCl100kBase)

// Warm builds the tokenizer in the background. Call it if the tokenizer will be needed soon.
func Warm() { go vocabulary() }

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
	n, err := vocabulary().Count(text)
	if err != nil {
		return (len(text) + 3) / 4
	}
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
