// Package nearest suggests known names that are similar to a misspelled name.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxNames is the maximum number of suggested names.
	maxNames = 3
	// maxTypos is the maximum number of differing letters.
	maxTypos = 2
)

// Names returns up to three known names that are similar to name, the most likely first: names that begin with name, names that
// differ only in case, and names with a few typos.
func Names(name string, known []string) []string {
	found := candidates(name, known)
	return names(found[:min(maxNames, len(found))])
}

// candidate is a known name and its distance in letters.
type candidate struct {
	name string
	far  int
}

// candidates returns the similar names, the most likely first.
func candidates(name string, known []string) []candidate {
	var found []candidate
	for _, k := range known {
		far := distance(strings.ToLower(name), strings.ToLower(k))
		if far > 1 && name != "" && strings.HasPrefix(k, name) {
			far = 1
		}
		if far <= min(maxTypos, (len(name)+1)/2) {
			found = append(found, candidate{k, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.name, b.name))
	})
	return slices.Compact(found)
}

func names(of []candidate) []string {
	out := make([]string, 0, len(of))
	for _, c := range of {
		out = append(out, c.name)
	}
	return out
}

// Hint returns the end of a message about an unknown name: "; did you mean X?", or "" if no known name is similar. It suggests
// only the most likely names.
func Hint(name string, known []string) string {
	near := candidates(name, known)
	if len(near) == 0 {
		return ""
	}
	best := near[0].far
	near = slices.DeleteFunc(near, func(c candidate) bool { return c.far > best })
	quoted := make([]string, 0, len(near))
	for _, n := range names(near[:min(maxNames, len(near))]) {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	return "; did you mean " + strings.Join(quoted, " or ") + "?"
}

// minTypo is the minimum length of a name for Typo, in bytes. Two typos in a shorter name are not significant.
const minTypo = 5

// Typo returns the known name that differs from name in case or by a few typos. Unlike Names, it does not accept name as a
// prefix.
func Typo(name string, known []string) (string, bool) {
	if len(name) < minTypo {
		return "", false
	}
	for _, c := range candidates(name, known) {
		if distance(strings.ToLower(name), strings.ToLower(c.name)) <= maxTypos {
			return c.name, true
		}
	}
	return "", false
}

// distance returns the number of letters to insert, remove or replace to convert a to b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, c := range to {
			replace := diagonal
			if r != c {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
