package archtest_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// buildsPrograms matches a test that builds a program of this repository.
var buildsPrograms = regexp.MustCompile(`exec\.Command(Context)?\(.*"go", "build"|testhost\.Run\(`)

// TestUncached compares the packages whose tests build programs with those that the Makefile tests without the test cache, which does
// not see what such a program consists of. The program of a package itself is seen.
func TestUncached(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	makefile, err := fs.ReadFile(root, "Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^UNCACHED = (.*)$`).FindStringSubmatch(string(makefile))
	if list == nil {
		t.Fatal("the Makefile has no UNCACHED")
	}
	want := []string{"internal/e2e"}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (skipped(name) || name == "tools"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "cmd/"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if dir := path.Dir(name); buildsPrograms.Match(text) && !slices.Contains(want, dir) {
			want = append(want, dir)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := append(strings.Fields(list[1]), "internal/e2e")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("UNCACHED in the Makefile names %v, but the tests of %v build programs", got, want)
	}
}
