package limit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// markSize is larger than any mark, in bytes. A text that exceeds its limit by at most markSize is not shortened.
const markSize = 64

// mark returns the text that ends a shortened text.
func mark(left int) string { return fmt.Sprintf("… [%d bytes left out]", left) }

var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`… \[(\d{1,18}) bytes left out\]$`) })

// Shorten returns a text of at most about size bytes: its beginning and a mark with the number of omitted bytes. If the text
// was shortened before, the mark counts all omitted bytes. A shortened text does not share memory with the original.
func Shorten(text string, size int) string {
	if len(text) <= size+markSize {
		return text
	}
	left := 0
	if m := marked().FindStringSubmatchIndex(text[len(text)-markSize:]); m != nil {
		end := text[len(text)-markSize:]
		left, _ = strconv.Atoi(end[m[2]:m[3]])
		text = text[:len(text)-markSize+m[0]]
	}
	if len(text) <= size {
		return text + mark(left)
	}
	cut := size
	for cut > 0 && size-cut < utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + mark(left+len(text)-cut)
}

// Cut is like Shorten, for a text with its own limit. The mark names the limit.
func Cut(text string, size int, what string) string {
	if len(text) <= size {
		return text
	}
	short := Shorten(text, max(size-2*markSize, 0))
	return fmt.Sprintf("%s; %s has at most %s]", strings.TrimSuffix(short, "]"), what, Size(size))
}

// Size formats a number of bytes for users.
func Size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
