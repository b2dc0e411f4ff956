package interp

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/golang/interp/symtab"
	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// TestRestricted compares the packages that are documented to need unsafe mode with those that the interpreter provides only in
// that mode.
func TestRestricted(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range symtab.RestrictedPackages() {
		if !library.Has(p) {
			got = append(got, p)
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, pluginsource.Restricted()) {
		t.Errorf("got %q, want %q", got, pluginsource.Restricted())
	}
}
