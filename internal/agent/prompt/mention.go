package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention is an @path in a prompt.
type Mention struct {
	// Text is the mention as written, with the @.
	Text string
	// Paths holds the possible paths, the longest first, because punctuation may follow a path directly.
	Paths []string
}

// Escape escapes a text so that Mentions finds no mention in it.
func Escape(text string) string { return strings.ReplaceAll(text, "@", `\@`) }

// Mentions returns the prompt for the model, and the files that it may mention. A mention is an @ at the start of a word,
// followed by a path up to the next white space, or by a path in double quotes. \@ is an @ that mentions no file.
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
		// Invalid UTF-8 is kept unchanged.
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
		before = r
	}
	return b.String(), found
}

// begins reports whether a word can start after r.
func begins(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([{<\"'`,;:=", r) }

// behind holds the punctuation that may follow a path directly.
const behind = ".,;:!?)]}>\"'`"

// mention parses the mention at the start of a text.
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
