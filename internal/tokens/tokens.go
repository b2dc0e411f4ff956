// Package tokens counts the tokens of a text with a tokenizer that is part of the binary. Models differ in how they cut
// text; the count is an estimate for all but those that use this vocabulary.
package tokens

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

const (
	// sampled is how many bytes of a text are counted. Those beyond are taken to be like them: a longer text fits into hardly
	// any window, and counting it would take longer than the answer is worth.
	sampled = 1 << 20
	// blank is how long a run of white space may be before it is cut: the tokenizer takes time by the square of it.
	blank = 256
)

// vocabulary is cl100k: of the modern ones it is the smallest, and that of Llama 3 has grown out of it. Building it takes
// about 10 ms and 3.4 MB, so it is not done before the first text is counted.
var vocabulary = sync.OnceValue(codec.NewCl100kBase)

// Warm prepares the tokenizer in the background, for whoever knows that it will be needed.
func Warm() { go vocabulary() }

// Estimate returns the number of tokens of a text: at least one if there is a text, and never more than it has bytes.
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

// exact counts a text as it is.
func exact(text string) int {
	n, err := vocabulary().Count(text)
	if err != nil {
		return (len(text) + 3) / 4
	}
	return n
}

// piece returns how much of a text, from its beginning, can be counted at once.
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

// prefix returns at most n bytes of a text and splits no character, if the text has any.
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
