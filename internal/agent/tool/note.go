package tool

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// maxNote is the maximum length of a note of left-out output, in bytes. It is more than the longest path has.
const maxNote = 8 << 10

// noteStart is the beginning of a note.
const noteStart = "[... "

// LeftOutNote returns the line that replaces a part of the output of a command. left is how much is missing; where says in which
// file the output is.
func LeftOutNote(left, where string) string {
	return fmt.Sprintf(noteStart+"%s left out; %s ...]", left, where)
}

var leftOut = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[\.\.\. [0-9][0-9a-z ()]* left out; .* \.\.\.\]$`)
})

// FindLeftOutNote returns the position of the last line in a result that LeftOutNote wrote. ok is false if there is none.
func FindLeftOutNote(result string) (from, to int, ok bool) {
	for from = strings.LastIndex(result, noteStart); from >= 0; from = strings.LastIndex(result[:from], noteStart) {
		if from > 0 && result[from-1] != '\n' {
			continue
		}
		line, _, _ := strings.Cut(result[from:min(from+maxNote, len(result))], "\n")
		if leftOut().MatchString(line) {
			return from, from + len(line), true
		}
	}
	return 0, 0, false
}
