package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// UnknownError says that there is no command of a name.
type UnknownError struct {
	Name string
	// Near are the names that may have been meant, the likeliest first.
	Near []string
}

func (e *UnknownError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("unknown command /%s; /help lists the commands", e.Name)
	}
	return fmt.Sprintf("unknown command /%s; did you mean /%s? /help lists the commands", e.Name, strings.Join(e.Near, " or /"))
}

// near returns up to three names that resemble one: those it begins and those a few typos away.
func (s *Set) near(name string) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for known := range s.byName {
		far := distance(strings.ToLower(name), strings.ToLower(known))
		if strings.HasPrefix(known, name) {
			far = 1
		}
		if far <= min(2, (len(name)+1)/2) {
			found = append(found, candidate{known, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.name, b.name))
	})
	names := make([]string, 0, 3)
	for _, c := range found[:min(3, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// distance counts the letters to insert, remove or replace to make one word the other.
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
