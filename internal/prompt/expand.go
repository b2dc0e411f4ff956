package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// placeholder is what Expand replaces. $ARGUMENTS_X is another word.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\$|[1-9]|ARGUMENTS\b)`) })

// Expand puts arguments into the body of a custom command: $1 to $9 are single ones, empty where there are fewer, and
// $ARGUMENTS is all of them as they were typed. $$ is a dollar sign. What is put in is not expanded again.
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

// split cuts arguments into words as a shell does: at blanks that are not in quotes. A backslash takes the meaning from a
// blank, a quote or another backslash after it, and within double quotes from a double quote or a backslash; elsewhere it
// stands for itself, as it does in paths and patterns. Since arguments are often plain sentences, a quote that is never
// closed stands for itself, and so does an apostrophe within a word.
func split(args string) []string {
	words := []string{}
	var (
		word strings.Builder
		open bool // whether a word has begun; one of two quotes alone is empty
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

// quoted is what stands between the quote at start and the one that closes it, and where that is.
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
