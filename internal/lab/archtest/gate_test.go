package archtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loaders are the files that may read the configuration directly. All other files must use the gate, which asks for consent to
// what a project's files request.
var loaders = []string{"internal/app/gate/gate.go", "internal/app/gate/listing.go", "internal/app/gate/verdict.go"}

// TestOneGate finds files that read the configuration without the gate.
func TestOneGate(t *testing.T) {
	t.Parallel()
	root, found := filepath.Join("..", "..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "config.Load(") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if found++; err == nil && !slices.Contains(loaders, filepath.ToSlash(rel)) {
			t.Errorf("%s calls config.Load: use gate.Gate, so that nothing of a project takes effect without consent", rel)
		}
		return err
	})
	if err != nil || found != len(loaders) {
		t.Errorf("%d files read the configuration, want %d; %v", found, len(loaders), err)
	}
}
