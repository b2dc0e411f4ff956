package interp

import (
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/golang/repair"
)

// fileMark begins the first line of a lowered text: the path of the file that it stands for follows.
const fileMark = "//file "

// present returns a lowered file's text in the form that the interpreter must see.
func present(file string, text []byte, edits []repair.Edit) []byte {
	out := slices.Concat([]byte(fileMark), []byte(strings.ReplaceAll(file, "\n", " ")), []byte("\n"))
	return repair.Apply(slices.Grow(out, len(text)+len(edits)*4), text, 0, edits)
}
