//go:build unix

package scripts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestExhaustive checks that the listed tests exist.
func TestExhaustive(t *testing.T) {
	t.Parallel()
	var names []string
	for _, test := range goTests(t) {
		names = append(names, test.name)
	}
	for _, name := range harness.Exhaustive {
		parent, _, _ := strings.Cut(name, "/")
		if variant, ok := strings.CutPrefix(name, "TestScripts/*/"); ok {
			if !slices.Contains(preparations["protocols"].variants[1:], variant) {
				t.Errorf("no variant is repeated as %s", variant)
			}
		} else if script, ok := strings.CutPrefix(name, "TestScripts/"); ok {
			file := strings.Replace(script, "/*/", "/", 1) + ".txtar" // the star stands for its variants
			if _, err := os.Stat(filepath.Join("../testdata", "pages", filepath.FromSlash(file))); err != nil {
				t.Error(err)
			}
		} else if !slices.Contains(names, parent) {
			t.Errorf("there is no test %s, only %v", parent, names)
		}
	}
}
