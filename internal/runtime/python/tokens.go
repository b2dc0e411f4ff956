package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	// name is an identifier, a keyword or a number.
	name kind = iota
	// literal is a text without escapes, without its quotes. A text with escapes, a format string or bytes are of kind other.
	literal
	// punctuation is a single character.
	punctuation
	other
)

// token is a token of Python's grammar, as far as it matters for finding names in calls.
type token struct {
	kind kind
	text string
}

// tokens splits the text of a module. Comments, white space and the ends of lines are left out. A text that is no Python yields some tokens.
func tokens(text string) []token {
	var out []token
	for text != "" {
		size := 1
		switch word := text[:wordLength(text)]; {
		case text[0] == '#':
			size = lineLength(text)
		case isQuote(text[len(word):]) && len(word) <= 2 && strings.Trim(word, "rRbBuUfF") == "":
			inner, whole := quoted(text[len(word):])
			t := token{literal, inner}
			if strings.Trim(word, "rRuU") != "" || strings.Contains(inner, `\`) {
				t.kind = other
			}
			out, size = append(out, t), len(word)+whole
		case word != "":
			out, size = append(out, token{name, word}), len(word)
		case text[0] > ' ' && text[0] != '\\':
			_, size = utf8.DecodeRuneInString(text)
			out = append(out, token{punctuation, text[:size]})
		}
		text = text[size:]
	}
	return out
}

// wordLength returns the length of the identifier or number at the beginning of a text.
func wordLength(text string) int {
	end := strings.IndexFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if end < 0 {
		return len(text)
	}
	return end
}

// lineLength returns the length of the first line of a text, without its end.
func lineLength(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

func isQuote(text string) bool { return text != "" && (text[0] == '"' || text[0] == '\'') }

// quoted returns what the quotes at the beginning of a text hold, and the length with the quotes. A text that does not end has what remains of
// its line, or of the module within three quotes.
func quoted(text string) (inner string, whole int) {
	quote, lines := text[:1], false
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text, triple) {
		quote, lines = triple, true
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '\n' && !lines:
			return text[len(quote):i], i
		case strings.HasPrefix(text[i:], quote):
			return text[len(quote):i], i + len(quote)
		}
	}
	return text[len(quote):], len(text)
}
