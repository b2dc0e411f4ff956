package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	repo   = "../../.."
	readme = "README.md"
)

// pages returns the README and the pages in docs/, as paths from the root.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(repo, "docs", "*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	out := []string{readme}
	for _, path := range found {
		out = append(out, "docs/"+filepath.Base(path))
	}
	return out
}

func text(t *testing.T, page string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repo, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// read returns the blocks of a page.
func read(t *testing.T, page string) []block {
	t.Helper()
	list, err := blocks(page, text(t, page))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEveryBlockIsChecked fails for an example that no test checks.
func TestEveryBlockIsChecked(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for _, b := range read(t, page) {
			if fault := b.fault(); fault != "" {
				t.Errorf("%s: %s", b.where(), fault)
			}
		}
	}
}

// linked matches a link of a page, and the file of a picture.
var linked = regexp.MustCompile(`(?:\]\(|\bsrc(?:set)?=")([^)"#\s]*)(?:#([^)\s]*))?[)"]`)

// everyPage returns the paths of all Markdown files of the repository, except for test data.
func everyPage(t *testing.T) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(repo), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules", "testdata", "vendor"}, d.Name()):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			out = append(out, path)
		}
		return nil
	})
	if err != nil || len(out) < 50 {
		t.Fatalf("%d pages: %v", len(out), err)
	}
	return out
}

// TestLinks follows the links between pages, and the anchors of the links.
func TestLinks(t *testing.T) {
	t.Parallel()
	known := map[string]map[string]bool{} // the anchors of each page
	for _, page := range everyPage(t) {
		for _, m := range linked.FindAllStringSubmatch(text(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := page
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(page), m[1]))
			}
			if _, err := os.Stat(filepath.Join(repo, target)); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[0])
				continue
			}
			if m[2] != "" && known[target] == nil {
				known[target] = anchors(text(t, target))
			}
			if m[2] != "" && !known[target][m[2]] {
				t.Errorf("%s: %s has no heading #%s", page, target, m[2])
			}
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// anchors returns the names by which headings can be linked to.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		out[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}

// TestTableOfPages checks that the README lists each page of docs/ once, in groups of at most eight.
func TestTableOfPages(t *testing.T) {
	t.Parallel()
	documentation := section(t, text(t, readme), "## Documentation")
	var listed []string
	for _, group := range []string{"Start", "Use", "Configure", "Extend", "Operate", "Reference"} {
		rows := tables(section(t, text(t, readme), "### "+group))[0]
		if len(rows) > 8 {
			t.Errorf("the group %s has %d rows, want at most 8", group, len(rows))
		}
		for _, row := range rows {
			listed = append(listed, linked.FindStringSubmatch(row[0])[1])
		}
	}
	if all := tables(documentation); len(all) != 6 {
		t.Errorf("the README has %d groups of pages, want 6", len(all))
	}
	same(t, "table of pages", listed, pages(t)[1:])
}
