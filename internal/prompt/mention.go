package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention is @path in a prompt.
type Mention struct {
	// Text is as it is written, with the @.
	Text string
	// Paths are what it may name, the longest first: a sentence may end right behind a path.
	Paths []string
}

// Escape makes a text plain for Mentions: nothing in it is a mention.
func Escape(text string) string { return strings.ReplaceAll(text, "@", `\@`) }

// Mentions returns a prompt as the model is to read it, and the files that it may mention. A mention is an @ at the beginning of a
// word and what follows up to the next blank, or between double quotes. \@ is an @ that mentions nothing.
func Mentions(text string) (plain string, found []Mention) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	var b strings.Builder
	before := ' '
	for i, r := range text {
		if r == '\\' && strings.HasPrefix(text[i+1:], "@") {
			before = r
			continue
		}
		if r == '@' && begins(before) {
			if m, ok := mention(text[i:]); ok {
				found = append(found, m)
			}
		}
		// What is not UTF-8 stays as it is.
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
		before = r
	}
	return b.String(), found
}

// begins reports whether a word can begin behind r.
func begins(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([{<\"'`,;:=", r) }

// behind are the characters that a sentence may have right behind a path.
const behind = ".,;:!?)]}>\"'`"

// mention reads a mention at the beginning of a text.
func mention(text string) (Mention, bool) {
	word := text[1:]
	if strings.HasPrefix(word, `"`) {
		path, _, closed := strings.Cut(word[1:], `"`)
		if path == "" || !closed || strings.Contains(path, "\n") {
			return Mention{}, false
		}
		return Mention{Text: `@"` + path + `"`, Paths: []string{path}}, true
	}
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word = word[:end]
	}
	m := Mention{Text: "@" + strings.TrimRight(word, behind)}
	for ; word != "" && word[0] != '@'; word = word[:len(word)-1] {
		m.Paths = append(m.Paths, word)
		if !strings.ContainsRune(behind, rune(word[len(word)-1])) {
			return m, true
		}
	}
	return m, false
}
