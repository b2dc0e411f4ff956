package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// placeholder matches what Expand replaces. It does not match $ARGUMENTS_X.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\$|[1-9]|ARGUMENTS\b)`) })

// Expand replaces the placeholders in the body of a custom command. $1 to $9 are single arguments, or empty if there are fewer.
// $ARGUMENTS is all arguments as they were typed. $$ is a dollar sign. Replacements are not expanded again.
func Expand(body, args string) string {
	var words []string
	return placeholder().ReplaceAllStringFunc(body, func(match string) string {
		switch match {
		case "$$":
			return "$"
		case "$ARGUMENTS":
			return args
		}
		if words == nil {
			words = split(args)
		}
		if i := int(match[1] - '1'); i < len(words) {
			return words[i]
		}
		return ""
	})
}

// Words splits arguments into words as Expand does for $1 to $9.
func Words(args string) []string { return split(args) }

// split splits arguments into words like a shell, at white space outside quotes. A backslash escapes a following white space,
// quote or backslash, and within double quotes a double quote or a backslash. Elsewhere a backslash is an ordinary character,
// because it occurs in paths and patterns. Arguments are often plain sentences, so an unclosed quote is an ordinary character,
// and so is an apostrophe within a word.
func split(args string) []string {
	words := []string{}
	var (
		word strings.Builder
		open bool // whether a word has started; a pair of quotes is an empty word
	)
	text := []rune(args)
	for i := 0; i < len(text); i++ {
		r := text[i]
		switch {
		case unicode.IsSpace(r):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
			continue
		case r == '\\' && i+1 < len(text) && (isQuote(text[i+1]) || text[i+1] == '\\' || unicode.IsSpace(text[i+1])):
			i++
			word.WriteRune(text[i])
		case isQuote(r) && !isApostrophe(text, i):
			inner, end, closed := quoted(text, i)
			if !closed {
				word.WriteRune(r)
				break
			}
			word.WriteString(inner)
			i = end
		default:
			word.WriteRune(r)
		}
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

func isQuote(r rune) bool { return r == '"' || r == '\'' }

func isApostrophe(text []rune, i int) bool {
	return text[i] == '\'' && i > 0 && (unicode.IsLetter(text[i-1]) || unicode.IsDigit(text[i-1]))
}

// quoted returns the text between the quote at start and its closing quote, and the index of the closing quote.
func quoted(text []rune, start int) (inner string, end int, closed bool) {
	var out strings.Builder
	for i := start + 1; i < len(text); i++ {
		switch r := text[i]; {
		case r == text[start]:
			return out.String(), i, true
		case r == '\\' && text[start] == '"' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			out.WriteRune(text[i])
		default:
			out.WriteRune(r)
		}
	}
	return "", 0, false
}
