//go:build unix

package inputhistory_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/ui/inputhistory"
)

func TestLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "prompts")
	if err := os.WriteFile(target, []byte("{\"text\":\"one\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, link)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := inputhistory.Open(link); !errors.Is(err, files.ErrLink) {
		t.Errorf("opening: got %v", err)
	}
	if err := h.Add("two"); !errors.Is(err, files.ErrLink) {
		t.Errorf("adding: got %v", err)
	}
	if got := all(h); fmt.Sprint(got) != "[two]" {
		t.Errorf("in memory: got %q", got)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "{\"text\":\"one\"}\n" {
		t.Errorf("the target is %q, %v", text, err)
	}
}

// Only the user can read the prompts.
func TestMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "prompts")
	add(t, open(t, path), "one")
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
}
