package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// glob is a compiled pattern.
type glob struct {
	*regexp.Regexp
	// plain is whether the pattern has no star, so that it matches one text.
	plain bool
}

// wildcard compiles a pattern that matches a whole text. A star matches any text, including line breaks. Brackets around a special
// character make it plain, as in "[*]".
func wildcard(pattern string) glob {
	var b strings.Builder
	out := glob{plain: true}
	for pattern != "" {
		plain, size := bracketed(pattern)
		switch {
		case size > 0:
			b.WriteString(regexp.QuoteMeta(plain))
		case pattern[0] == '*':
			b.WriteString(`.*`)
			size, out.plain = 1, false
		default:
			_, size = utf8.DecodeRuneInString(pattern)
			b.WriteString(regexp.QuoteMeta(pattern[:size]))
		}
		pattern = pattern[size:]
	}
	out.Regexp = regexp.MustCompile(strings.ToValidUTF8(`(?s)^`+b.String()+`$`, "\uFFFD"))
	return out
}

// brackets maps what brackets contain to the text that it stands for. Other characters are written as in "[U+001B]".
var brackets = []struct{ written, plain string }{{"[*]", "*"}, {"[[]", "["}, {"[,]", ","}, {`[\n]`, "\n"}}

// bracketed returns the plain text that the brackets at the beginning of a pattern stand for, and how long these are. The length
// is 0 if the pattern begins with something else.
func bracketed(pattern string) (plain string, size int) {
	for _, b := range brackets {
		if strings.HasPrefix(pattern, b.written) {
			return b.plain, len(b.written)
		}
	}
	number, ok := strings.CutPrefix(pattern, "[U+")
	if number, _, closed := strings.Cut(number, "]"); ok && closed && len(number) <= 6 {
		if r, err := strconv.ParseUint(number, 16, 32); err == nil && utf8.ValidRune(rune(r)) {
			return string(rune(r)), len("[U+]") + len(number)
		}
	}
	return "", 0
}

// quote returns a pattern that matches only this text. The pattern is one line without invisible characters, so that a user can
// read and edit it.
func quote(text string) string {
	var b strings.Builder
	for i, r := range text {
		_, size := bracketed(text[i:])
		switch {
		case r == '*':
			b.WriteString("[*]")
		case size > 0:
			b.WriteString("[[]")
		case r == '\n':
			b.WriteString(`[\n]`)
		case r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zs, r) && r != ' ':
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
