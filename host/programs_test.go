package host

import (
	"slices"
	"testing"
)

// TestWithoutGuest leaves the guest out of the programs that a child started. The kernel cuts names.
func TestWithoutGuest(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		programs []string
		guest    string
		want     []string
	}{
		"none":             {nil, "python3", nil},
		"the guest alone":  {[]string{"python3"}, "python3", []string{}},
		"another":          {[]string{"sleep", "python3"}, "python3", []string{"sleep"}},
		"a second one":     {[]string{"python3", "python3"}, "python3", []string{"python3"}},
		"a cut name":       {[]string{"python3.14-free"}, "python3.14-freethreaded", []string{}},
		"another name":     {[]string{"renamed"}, "python3", []string{"renamed"}},
		"without any name": {[]string{""}, "python3", []string{""}},
	} {
		if got := withoutGuest(row.programs, row.guest); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
