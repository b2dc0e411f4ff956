package bisect

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

func names(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("p%02d", i))
	}
	return out
}

// TestSearch searches every culprit and every pair of culprits among 16 plugins.
func TestSearch(t *testing.T) {
	t.Parallel()
	all := names(16)
	check := func(culprits []string, most int) {
		t.Helper()
		got, err := Search(all, func(set []string) (bool, error) {
			for _, c := range culprits {
				if !slices.Contains(set, c) {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil || !reflect.DeepEqual(got.Culprits, culprits) || got.Steps > most {
			t.Errorf("got %+v, %v, want %v in %d steps", got, err, culprits, most)
		}
	}
	for i, first := range all {
		check([]string{first}, 5)
		for _, second := range all[i+1:] {
			check([]string{first, second}, 22)
		}
	}
}

func TestSearchPremises(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for rule, tt := range map[string]struct {
		test Test
		want error
	}{
		"never bad":  {func([]string) (bool, error) { return false, nil }, ErrNeverBad},
		"always bad": {func([]string) (bool, error) { return true, nil }, ErrAlwaysBad},
		"an error":   {func([]string) (bool, error) { return true, broken }, broken},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			if _, err := Search(names(3), tt.test); !errors.Is(err, tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
