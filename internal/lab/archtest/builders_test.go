package archtest_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// buildsPrograms matches a test that builds a program of this repository.
var buildsPrograms = regexp.MustCompile(`exec\.Command(Context)?\(.*"go", "build".*/cmd/`)

// TestBuildersAreSeen checks that a package whose tests build programs of this repository tells the test cache, which does not see what such a
// program consists of. The program of a package itself is seen. The end-to-end tests are never taken from the cache.
func TestBuildersAreSeen(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../../..")
	builds, tells := map[string]bool{}, map[string]bool{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (skipped(name) || name == "tools"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		dir := path.Dir(name)
		if test := strings.HasSuffix(name, "_test.go") || dir == "internal/lab/testhost"; test && buildsPrograms.Match(text) {
			builds[dir] = true
		}
		tells[dir] = tells[dir] || strings.Contains(string(text), "testcache.DependOnSources()")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(builds, func(dir string, _ bool) bool { return strings.HasPrefix(dir, "internal/lab/e2e/") })
	if len(builds) == 0 {
		t.Fatal("no package builds a program")
	}
	for dir := range builds {
		if !tells[dir] {
			t.Errorf("the tests of %s build a program of this repository; they must call testcache.DependOnSources", dir)
		}
	}
}
