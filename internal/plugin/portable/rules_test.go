package portable_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRules compares the tests that docs/dev/agent-plugins.md names with the source of the tests.
func TestRules(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/dev/agent-plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, pattern := range []string{"*_test.go", "../../settings/config/packages_test.go", "../../agent/mcp/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	found := regexp.MustCompile("`(Test[A-Za-z]+)(?:/([^`]+))?`").FindAllSubmatch(page, -1)
	for _, m := range found {
		row := strings.ReplaceAll(string(m[2]), "_", " ")
		if !strings.Contains(source.String(), "func "+string(m[1])+"(") || row != "" && !strings.Contains(source.String(), `"`+row+`"`) {
			t.Errorf("there is no test %s", m[0])
		}
	}
	if len(found) < 80 {
		t.Errorf("the page names %d tests", len(found))
	}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) == 5 && !strings.Contains(line, "---") && !strings.Contains(cells[1], "section") && !regexp.MustCompile("`(Test|[a-z/]*portable\\.txtar)").MatchString(cells[3]) {
			t.Errorf("a rule without a test: %s", line)
		}
	}
	scripts := regexp.MustCompile("`((?:trust/)?portable\\.txtar)`").FindAllSubmatch(page, -1)
	for _, m := range scripts {
		path := filepath.Join("../../lab/e2e/testdata/pages", string(m[1]))
		if !strings.Contains(string(m[1]), "/") {
			path = filepath.Join("../../lab/e2e/testdata/pages/install-plugins", string(m[1]))
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
