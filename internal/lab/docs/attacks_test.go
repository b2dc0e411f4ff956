package docs

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testsIn returns the source of the tests in a package.
func testsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repo, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	return source.String()
}

// TestAttacks compares the tests that docs/dev/attacks.md names for each asset with the existing tests. A name without a package is that of
// an end-to-end test.
func TestAttacks(t *testing.T) {
	t.Parallel()
	list := tables(text(t, "docs/dev/attacks.md"))
	if len(list) != 1 || len(list[0]) < 10 {
		t.Fatalf("the table of assets is not there: %d tables", len(list))
	}
	for _, row := range list[0] {
		names := regexp.MustCompile("`(?:([a-z/]+)[.])?(Test[A-Za-z]+)(?:/([a-z-]+))?`").FindAllStringSubmatch(row[len(row)-1], -1)
		if len(names) == 0 {
			t.Errorf("%s: no test is named", row[0])
		}
		for _, name := range names {
			if !strings.Contains(testsIn(t, cmp.Or(name[1], "internal/lab/e2e/*")), "func "+name[2]+"(") {
				t.Errorf("%s: there is no test %s", row[0], name[2])
			}
			if _, err := os.Stat(filepath.Join(repo, "internal", "lab", "e2e", "testdata", "pages", name[3])); err != nil {
				t.Errorf("%s: there are no scripts %s: %v", row[0], name[3], err)
			}
		}
	}
}
