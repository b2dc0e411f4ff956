package limit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// markSize is more than a mark takes in bytes. A text that is longer than its limit by less is left as it is.
const markSize = 64

// mark ends a text that was shortened.
func mark(left int) string { return fmt.Sprintf("… [%d bytes left out]", left) }

var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`… \[(\d{1,18}) bytes left out\]$`) })

// Shorten returns a text of at most about size bytes: its beginning and a mark that says how many bytes are left out. A text
// that was shortened before keeps count. The result does not hold on to the memory of the text.
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

// Cut is Shorten for a text that a limit of its own bounds. The mark says which limit that is.
func Cut(text string, size int, what string) string {
	if len(text) <= size {
		return text
	}
	short := Shorten(text, max(size-2*markSize, 0))
	return fmt.Sprintf("%s; %s has at most %s]", strings.TrimSuffix(short, "]"), what, Size(size))
}

// Size is a number of bytes for people.
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
