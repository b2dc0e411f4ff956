package builtin

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
)

// row is a line of a file and its line end.
type row struct{ text, end string }

// rows splits a text into rows. The last row may have no line end.
func rows(text string) []row {
	var out []row
	for line := range strings.Lines(text) {
		r := row{text: line}
		for _, end := range []string{crlf, "\n"} {
			if cut, ok := strings.CutSuffix(line, end); ok {
				r = row{text: cut, end: end}
				break
			}
		}
		out = append(out, r)
	}
	return out
}

// target is a file to which hunks are applied from top to bottom.
type target struct {
	rows []row
	// exact and loose hold a number for the text of each row; see numbered. loose is nil until it is needed.
	exact, loose *numbered
	// work counts the rows that were compared.
	work int
	// cursor is the first row after the last hunk.
	cursor int
	out    []row
	// end is the line end of most lines.
	end string
}

// applyHunks returns the text after the hunks. Errors name the hunk and the line that does not match.
func applyHunks(text string, hunks []hunk) (string, error) {
	if n := strings.Count(text, "\n"); n > limit.PatchLines {
		return "", fmt.Errorf("the file has more than the limit of %d lines; change it with a command", limit.PatchLines)
	}
	t := &target{rows: rows(text), end: ending(text)}
	// If the last line has no line end, the result has none either.
	open := len(t.rows) > 0 && t.rows[len(t.rows)-1].end == ""
	if open {
		t.rows[len(t.rows)-1].end = t.end
	}
	for i, h := range hunks {
		at, err := t.locate(h)
		if err != nil {
			return "", fmt.Errorf("hunk %d %w", i+1, err)
		}
		t.apply(h, at)
	}
	t.out = append(t.out, t.rows[t.cursor:]...)
	if open && len(t.out) > 0 {
		t.out[len(t.out)-1].end = ""
	}
	var out strings.Builder
	for _, r := range t.out {
		out.WriteString(r.text + r.end)
	}
	return out.String(), nil
}

func (t *target) apply(h hunk, at int) {
	t.out = append(t.out, t.rows[t.cursor:at]...)
	for _, line := range h.lines {
		switch line.kind {
		case '+':
			t.out = append(t.out, row{text: line.text, end: t.endAt(at)})
		case '-':
			at++
		default:
			t.out = append(t.out, t.rows[at])
			at++
		}
	}
	t.cursor = at
}

// endAt returns the line end of the lines around a row.
func (t *target) endAt(at int) string {
	switch {
	case at > 0:
		return t.rows[at-1].end
	case at < len(t.rows):
		return t.rows[at].end
	default:
		return t.end
	}
}

// before returns the lines of a hunk as they are in the file before the change.
func (h hunk) before() []string {
	var out []string
	for _, line := range h.lines {
		if line.kind != '+' {
			out = append(out, line.text)
		}
	}
	return out
}

// locate returns the row at which a hunk begins.
func (t *target) locate(h hunk) (int, error) {
	start, err := t.anchored(h)
	if err != nil {
		return 0, err
	}
	old := h.before()
	if len(old) == 0 {
		return t.insertion(h, start)
	}
	first := max(start, t.cursor)
	if h.last {
		first = max(first, len(t.rows)-len(old))
	}
	for _, numbers := range []func() *numbered{t.exactly, t.loosely} {
		found, err := t.search(numbers(), old, first)
		switch {
		case err != nil:
			return 0, err
		case found.count > 1 && len(h.anchors) == 0:
			return 0, fmt.Errorf("fits at %d places, %s; add lines of context or a line after @@ to tell them apart", found.count, found.places)
		case found.count > 0:
			return found.first[0] - 1, nil
		}
	}
	return 0, t.mismatch(old, first)
}

// anchored returns the row of the last anchor, or 0. The first anchor may be above the previous hunk.
func (t *target) anchored(h hunk) (int, error) {
	at, from := 0, t.cursor
	for i, text := range h.anchors {
		if err := t.spend(len(t.rows)); err != nil {
			return 0, err
		}
		found := t.seek(text, from)
		if found < 0 && i == 0 {
			found = t.seek(text, 0)
		}
		if found < 0 {
			return 0, fmt.Errorf("does not fit: the line after @@, %q, is not in the file%s", shortened(text), below(from))
		}
		at, from = found, found+1
	}
	return at, nil
}

// seek returns the first row that equals the text, or else the first that begins with it, ignoring surrounding white space. It
// returns -1 if there is none.
func (t *target) seek(text string, from int) int {
	prefix := -1
	for i := from; i < len(t.rows); i++ {
		line := strings.TrimSpace(t.rows[i].text)
		if line == text {
			return i
		}
		if prefix < 0 && strings.HasPrefix(line, text) {
			prefix = i
		}
	}
	return prefix
}

// insertion returns the row at which a hunk that only adds lines is inserted.
func (t *target) insertion(h hunk, anchor int) (int, error) {
	switch {
	case h.last || len(t.rows) == 0:
		return len(t.rows), nil
	case len(h.anchors) > 0:
		return max(anchor+1, t.cursor), nil
	default:
		return 0, fmt.Errorf("does not say where its lines go; add lines of context, a line after @@, or %q", patchEOF)
	}
}

// mismatch explains why the lines do not match at or below a row. It names the place where most of them match, or the place
// above where all of them match.
func (t *target) mismatch(lines []string, from int) error {
	above, err := t.search(t.loosely(), lines, 0)
	if err != nil {
		return err
	}
	if above.count > 0 {
		return fmt.Errorf("does not fit below line %d, but at line %d; put the hunks in the order of the file", from, above.first[0])
	}
	nearest, err := t.search(t.loosely(), lines, from)
	if err != nil {
		return err
	}
	best, most := nearest.best, nearest.most
	const remedy = "read the file again and copy its lines exactly"
	if most == 0 {
		return fmt.Errorf("does not fit: its line %q is not in the file%s; %s", shortened(lines[0]), below(from), remedy)
	}
	if best+most >= len(t.rows) {
		return fmt.Errorf("does not fit: its line %q does not match, the file ends with line %d; %s", shortened(lines[most]), len(t.rows), remedy)
	}
	return fmt.Errorf("does not fit: its line %q does not match line %d of the file, %q; %s",
		shortened(lines[most]), best+most+1, shortened(t.rows[best+most].text), remedy)
}

// below describes where a search began.
func below(from int) string {
	if from == 0 {
		return ""
	}
	return fmt.Sprintf(" below line %d", from)
}
