package builtin

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
)

// numbered holds a number for the text of each row of a file. Equal texts have equal numbers, so that two rows are compared in constant
// time.
type numbered struct {
	rows []int32
	ids  map[string]int32
	// normal returns the part of a row that is compared.
	normal func(string) string
}

func number(rows []row, normal func(string) string) *numbered {
	n := &numbered{rows: make([]int32, 0, len(rows)), ids: map[string]int32{}, normal: normal}
	for _, r := range rows {
		text := normal(r.text)
		id, ok := n.ids[text]
		if !ok {
			id = int32(len(n.ids)) //nolint:gosec // see limit.PatchLines
			n.ids[text] = id
		}
		n.rows = append(n.rows, id)
	}
	return n
}

// lines returns the numbers of other lines. A line that is not in the file has the number -1.
func (n *numbered) lines(lines []string) []int32 {
	out := make([]int32, 0, len(lines))
	for _, line := range lines {
		id, ok := n.ids[n.normal(line)]
		if !ok {
			id = -1
		}
		out = append(out, id)
	}
	return out
}

// exactly returns the numbers of the rows as they are.
func (t *target) exactly() *numbered {
	if t.exact == nil {
		t.exact = number(t.rows, func(text string) string { return text })
	}
	return t.exact
}

// loosely returns the numbers of the rows without trailing white space.
func (t *target) loosely() *numbered {
	if t.loose == nil {
		t.loose = number(t.rows, func(text string) string { return strings.TrimRight(text, " \t\r") })
	}
	return t.loose
}

// spend counts rows that are compared, and refuses too many. Each search takes linear time, but a patch can have many hunks.
func (t *target) spend(rows int) error {
	if t.work += rows; t.work > limit.PatchWork {
		return fmt.Errorf("does not fit within the limit of %d compared lines; use fewer hunks or more patches", limit.PatchWork)
	}
	return nil
}

// occurrences is where lines occur in a file.
type occurrences struct {
	places
	// best is the first row at which most of the lines, counted from their first, match.
	best, most int
}

// search returns where lines occur at or below a row. Repetitive lines take no longer than others: after a mismatch, the search
// continues with the longest beginning of the lines that still matches, as Knuth, Morris and Pratt do.
func (t *target) search(n *numbered, lines []string, from int) (occurrences, error) {
	var out occurrences
	if err := t.spend(len(n.rows) - from + len(lines)); err != nil {
		return out, err
	}
	sought := n.lines(lines)
	borders := make([]int, len(sought)) // the longest beginning that is also an end, of each beginning
	for i, k := 1, 0; i < len(sought); i++ {
		if k = continued(sought, borders, k, sought[i]); k > 0 {
			borders[i] = k
		}
	}
	matched := 0
	for at := from; at < len(n.rows); at++ {
		if matched == len(sought) {
			matched = borders[matched-1]
		}
		matched = continued(sought, borders, matched, n.rows[at])
		if matched > out.most {
			out.best, out.most = at-matched+1, matched
		}
		if matched == len(sought) {
			out.add(at - matched + 2) // as a line number
		}
	}
	return out, nil
}

// continued returns how many lines match, after k of them matched before the next row. A line that is not in the file matches nothing.
func continued(sought []int32, borders []int, k int, next int32) int {
	for k > 0 && sought[k] != next {
		k = borders[k-1]
	}
	if sought[k] == next {
		k++
	}
	return k
}
