package terminal

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// diffLines is the largest number of lines of a diff that are shown.
const diffLines = 80

// Diff renders a unified diff in colours. It shows at most diffLines lines, and cuts each line at the width of the terminal.
func (l Look) Diff(text string) Styled {
	lines := strings.Split(strings.TrimRight(plaintext.Show(text), "\n"), "\n")
	more := len(lines) - diffLines
	var h hunkState
	var out strings.Builder
	for _, line := range lines[:min(len(lines), diffLines)] {
		shown := displaywidth.TruncateString(strings.ReplaceAll(line, "\t", "    "), l.columns(), "…")
		out.WriteString(string(l.Paint(h.next(line), shown)) + "\n")
	}
	if more > 0 {
		out.WriteString(string(l.Paint(Quiet, fmt.Sprintf("… %d more lines of the diff", more))) + "\n")
	}
	return Styled(out.String())
}

// Change renders a unified diff for a user who must decide about it. Unlike Diff, it cuts no line and removes nothing: control
// characters and invisible characters are shown by their names.
func (l Look) Change(text string) Styled {
	var h hunkState
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(bounded(text), "\n"), "\n") {
		out.WriteString("  " + string(l.Paint(h.next(line), plaintext.Reveal(line))) + "\n")
	}
	return Styled(out.String())
}

// DiffLines calls use for each line of a unified diff, with what it is: added, removed, hunk, file, note, or empty for a line that is in both
// versions.
func DiffLines(text string, use func(kind, line string)) {
	var h hunkState
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		use(map[Style]string{added: "added", removed: "removed", hunk: "hunk", Strong: "file", Quiet: "note"}[h.next(line)], line)
	}
}

// hunkState counts the remaining lines of a hunk on its two sides. It distinguishes a removed line that begins with -- from the
// name of a file.
type hunkState struct{ before, after int }

// next returns the style of the next line.
func (h *hunkState) next(line string) Style {
	inside := h.before > 0 || h.after > 0
	switch {
	case inside && strings.HasPrefix(line, "+"):
		h.after--
		return added
	case inside && strings.HasPrefix(line, "-"):
		h.before--
		return removed
	case inside && strings.HasPrefix(line, `\`):
		return Quiet
	case inside:
		h.before--
		h.after--
		return Plain
	case strings.HasPrefix(line, "@@"):
		*h = sides(line)
		return hunk
	case strings.HasPrefix(line, `\`):
		return Quiet
	default:
		return Strong
	}
}

// sides reads the counts of the line that begins a hunk, such as "@@ -1,2 +1 @@".
func sides(line string) hunkState {
	count := func(field string) int {
		if _, number, ok := strings.Cut(field, ","); ok {
			var n int
			if _, err := fmt.Sscan(number, &n); err != nil {
				return 0
			}
			return n
		}
		return 1
	}
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return hunkState{}
	}
	return hunkState{before: count(fields[1]), after: count(fields[2])}
}
