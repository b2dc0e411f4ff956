package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

func TestBeside(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "real", "aura")
	link := filepath.Join(dir, "aura")
	for _, err := range []error{os.Mkdir(filepath.Dir(program), 0o700), os.WriteFile(program, nil, 0o600), os.Symlink(program, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, start := range []string{program, link} {
		if got := sandbox.Beside(start, "tool"); filepath.Dir(got) != filepath.Join(dir, "real") || !strings.HasPrefix(filepath.Base(got), "tool") {
			t.Errorf("%s: got %s", start, got)
		}
	}
}
