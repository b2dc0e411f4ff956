package tokens

import (
	"unicode"
	"unicode/utf8"
)

// kind is what the vocabulary's rule for splitting distinguishes.
type kind int

const (
	end kind = iota
	letter
	digit
	space
	newline
	other
)

func kindOf(text string) (kind, int) {
	if text == "" {
		return end, 0
	}
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case r == '\r' || r == '\n':
		return newline, n
	case unicode.IsLetter(r):
		return letter, n
	case unicode.IsNumber(r):
		return digit, n
	case unicode.IsSpace(r):
		return space, n
	default:
		return other, n
	}
}

// word returns the length of the piece that a text begins with. Tokens never extend beyond a piece. It is the rule of the
// vocabulary, as a regular expression:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func word(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	first, n := kindOf(text)
	second, _ := kindOf(text[n:])
	switch {
	case first == letter, (first == space || first == other) && second == letter:
		return n + run(text[n:], letter, letter, len(text))
	case first == digit:
		return n + run(text[n:], digit, digit, 2)
	case first == other, text[0] == ' ' && second == other:
		n += run(text[n:], other, other, len(text))
		return n + run(text[n:], newline, newline, len(text))
	default:
		return blanks(text)
	}
}

// contraction returns the length of an English contraction such as 've, or 0.
func contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	lower := func(i int) byte {
		if i < len(text) {
			return text[i] | 0x20
		}
		return 0
	}
	switch first, second := lower(1), lower(2); {
	case first == 's' || first == 't' || first == 'm' || first == 'd':
		return 2
	case first == 'r' && second == 'e', first == 'v' && second == 'e', first == 'l' && second == 'l':
		return 3
	default:
		return 0
	}
}

// run returns the length of the characters of two kinds that a text begins with, at most so many characters.
func run(text string, one, two kind, most int) int {
	at := 0
	for range most {
		k, n := kindOf(text[at:])
		if k != one && k != two || k == end {
			break
		}
		at += n
	}
	return at
}

// blanks returns the length of a piece of white space: up to the last line break in it, or else without its last character if a
// word follows, to which that character belongs.
func blanks(text string) int {
	whole := run(text, space, newline, len(text))
	for i := whole; i > 0; i-- {
		if text[i-1] == '\r' || text[i-1] == '\n' {
			return i
		}
	}
	_, last := utf8.DecodeLastRuneInString(text[:whole])
	if whole == len(text) || whole == last {
		return whole
	}
	return whole - last
}
