package docs

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// testName is the name of a test in a table: "internal/agent/policy.TestDecide/row", or "TestClone" of the end-to-end tests, where the row
// is the text in quotation marks that names one in the source.
var testName = regexp.MustCompile(`^(?:([a-z0-9/_-]+)[.])?(Test[A-Za-z0-9]+)(?:/(.+))?$`)

// missingTest returns what keeps a name in a table from being that of a test or of an end-to-end script, or "".
func missingTest(t *testing.T, name string) string {
	t.Helper()
	parts := testName.FindStringSubmatch(name)
	if parts == nil {
		script := filepath.Join(repo, "internal", "lab", "e2e", "testdata", "pages", filepath.FromSlash(name)+".txtar")
		if _, err := os.Stat(script); err != nil {
			return "there is no such script"
		}
		return ""
	}
	source := testsIn(t, cmp.Or(parts[1], "internal/lab/e2e/*"))
	if !strings.Contains(source, "func "+parts[2]+"(") {
		return "there is no such test"
	}
	if row := parts[3]; row != "" && !strings.Contains(source, strconv.Quote(row)) {
		return "no test of the package has such a row"
	}
	return ""
}

// TestAudit checks that the tests and scripts which docs/dev/audit.md names exist, that each row names one, and that no number is left
// out in a section.
func TestAudit(t *testing.T) {
	t.Parallel()
	list := tables(text(t, "docs/dev/audit.md"))
	if len(list) == 0 || len(list[0]) < 10 {
		t.Fatalf("the tables are not there: %d", len(list))
	}
	for _, rows := range list {
		last := 0
		for _, row := range rows {
			number, err := strconv.Atoi(row[0])
			if err != nil || last != 0 && number != last && number != last+1 {
				t.Errorf("%q follows %d, want the same number or the next one", row[0], last)
			}
			last = number
			names := codes(row[len(row)-1])
			if len(names) == 0 {
				t.Errorf("%s, %s: no test is named", row[0], row[1])
			}
			for _, name := range names {
				if why := missingTest(t, name); why != "" {
					t.Errorf("%s, %s: %s: %s", row[0], row[1], name, why)
				}
			}
		}
	}
}

// TestMissingTest checks that the check of names finds what does not exist.
func TestMissingTest(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]bool{
		"sandbox/git":       false,
		"sandbox/no-script": true,
		"TestClone":         false,
		"internal/lab/docs.TestMissingTest/sandbox/git": false,
		"internal/lab/docs.TestMissingTest/no " + "row": true,
		"internal/lab/docs.TestNoTest":                  true,
		"internal/no/package.TestMissingTest":           true,
	} {
		if why := missingTest(t, name); (why != "") != missing {
			t.Errorf("%s: %q", name, why)
		}
	}
}
