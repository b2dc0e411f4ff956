package hooks

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxText is the maximum length of a hook's output that is shown to the model, in bytes.
const maxText = 16 << 10

// escapes matches the escape sequences with which programs colour their output.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))`)
})

// readable returns text that a model can read: valid UTF-8, without colours and other control characters, and at most maxText
// bytes long. more is the number of bytes that were dropped before.
func readable(text string, more int64) string {
	// Cleaning a text costs several times its length, so most of the text that will not be shown is dropped first.
	if len(text) > 2*maxText {
		more += int64(len(text) - 2*maxText)
		text = text[:2*maxText]
	}
	text = escapes().ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, text))
	if len(text) > maxText {
		end := maxText
		for !utf8.RuneStart(text[end]) {
			end--
		}
		more += int64(len(text) - end)
		text = text[:end]
	}
	if more > 0 {
		text = strings.TrimSpace(text + fmt.Sprintf("\n[%d more bytes are left out]", more))
	}
	return text
}
