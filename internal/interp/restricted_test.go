package interp

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/pluginsource"
)

// TestRestricted compares the packages that are said to need unsafe mode with those that the interpreter has for it alone.
func TestRestricted(t *testing.T) {
	t.Parallel()
	var got []string
	for _, table := range restrictedTables() {
		for key := range table {
			// The interpreter's tables also have the packages that they stand in, of which nobody may make use.
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
