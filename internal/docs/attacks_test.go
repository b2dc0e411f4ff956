package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAttacks compares the tests that docs/security.md names for each asset with the existing tests.
func TestAttacks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(repo, "internal", "e2e", "*_test.go"))
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
	page, err := os.ReadFile(filepath.Join(repo, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	list := tables(section(t, string(page), "## Assets, attackers and tests"))
	if len(list) != 1 || len(list[0]) < 10 {
		t.Fatalf("the table of assets is not there: %d tables", len(list))
	}
	for _, row := range list[0] {
		names := regexp.MustCompile("`(Test[A-Za-z]+)(?:/([a-z-]+))?`").FindAllStringSubmatch(row[len(row)-1], -1)
		if len(names) == 0 {
			t.Errorf("%s: no test is named", row[0])
		}
		for _, name := range names {
			if !strings.Contains(source.String(), "func "+name[1]+"(") {
				t.Errorf("%s: there is no test %s", row[0], name[1])
			}
			if _, err := os.Stat(filepath.Join(repo, "internal", "e2e", "testdata", "pages", name[2])); err != nil {
				t.Errorf("%s: there are no scripts %s: %v", row[0], name[2], err)
			}
		}
	}
}
