package interp

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/pluginsource"
)

// TestRestricted compares the packages that are documented to need unsafe mode with those that the interpreter provides only in
// that mode.
func TestRestricted(t *testing.T) {
	t.Parallel()
	var got []string
	for _, table := range restrictedTables() {
		for key := range table {
			// The interpreter's tables also contain their own packages, which plugins must not use.
			if p := path.Dir(key); !isStandard(p) && !strings.Contains(p, "yaegi") {
				got = append(got, p)
			}
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, pluginsource.Restricted()) {
		t.Errorf("got %q, want %q", got, pluginsource.Restricted())
	}
}
