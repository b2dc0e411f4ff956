package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestPlaces checks what a place adds to the lists.
func TestPlaces(t *testing.T) {
	t.Parallel()
	at := place
	at.Writable, at.Settings = []string{"/p/more"}, []string{"/p/work/.aura", "/p/home/.aura"}
	p := sandbox.Default(at, sandbox.KindFiles)
	if !slices.Contains(p.ReadWrite, "/p/more") {
		t.Errorf("rw = %q", p.ReadWrite)
	}
	for _, path := range []string{"/p/home/.aura", "/p/work/.aura"} {
		if !slices.Contains(p.Protected, path) {
			t.Errorf("%s is not protected", path)
		}
	}
	if sorted := slices.Sorted(slices.Values(p.Protected)); len(slices.Compact(sorted)) != len(p.Protected) {
		t.Errorf("repeated: %q", p.Protected)
	}
	// Restrictions replace all paths that are writable by default.
	p = sandbox.Compose(at, sandbox.KindShell, sandbox.Config{Restrictions: sandbox.Paths{ReadWrite: []string{"sub"}}})
	if !slices.Equal(p.ReadWrite, []string{"/p/work/sub"}) {
		t.Errorf("rw = %q", p.ReadWrite)
	}
}

// TestExtraHidesSecrets grants the home directory and checks that its secrets stay hidden.
func TestExtraHidesSecrets(t *testing.T) {
	t.Parallel()
	base := sandbox.Compose(place, sandbox.KindPlugin, sandbox.Config{})
	p := sandbox.Compose(place, sandbox.KindPlugin, sandbox.Config{Extra: sandbox.Paths{ReadOnly: []string{"~"}}})
	if slices.Contains(base.Hidden, "/p/home/.ssh") || !slices.Contains(p.Hidden, "/p/home/.ssh") {
		t.Errorf("hidden = %q before, %q after", base.Hidden, p.Hidden)
	}
	if p.Stricter(base) {
		t.Error("to hide what could not be reached before is not stricter")
	}
}

// TestCheckWritesFirst checks that a refused write is not reported as a refused read.
func TestCheckWritesFirst(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	work, outside := filepath.Join(base, "work"), filepath.Join(base, "outside")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	var denied *sandbox.DeniedError
	err := sandbox.Check(sandbox.Policy{ReadWrite: []string{work}}, work, sandbox.Access{Read: []string{outside}, Write: []string{outside}})
	if !errors.As(err, &denied) || !denied.Write {
		t.Errorf("got %v", err)
	}
	if err := sandbox.Check(sandbox.Policy{}, work, sandbox.Access{}); err != nil {
		t.Error(err)
	}
}
