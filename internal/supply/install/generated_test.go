package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSDKSource checks that the embedded source of the SDK equals the SDK's source.
func TestSDKSource(t *testing.T) {
	t.Parallel()

	const hint = "run make generate"
	root := filepath.Join("..", "..", "..", "sdk")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Name() != "go.mod" && (!strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go")) {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if sdkSource[filepath.ToSlash(rel)] != strings.ReplaceAll(string(text), "\r\n", "\n") {
			t.Errorf("%s is out of date: %s", rel, hint)
		}
		seen++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen != len(sdkSource) {
		t.Errorf("aura carries %d files, the SDK has %d: %s", len(sdkSource), seen, hint)
	}
}
