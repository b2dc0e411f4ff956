package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestTrustedPaths checks which paths of other projects are protected: those in a writable tree, whether they exist or not.
func TestTrustedPaths(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, extra := filepath.Join(base, "work"), filepath.Join(base, "extra")
	for _, dir := range []string{work + "/sub/.aura", extra} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		path      string
		protected bool
	}{
		"below":          {work + "/sub/.aura", true},
		"below, missing": {work + "/other/secrets.env", true},
		"extra":          {extra + "/p/.aura", true},
		"out of reach":   {"/nowhere/p/.aura", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := sandbox.Place{Workdir: work, Home: "/nowhere/home", Temp: filepath.Join(base, "tmp"), Trusted: []string{row.path}}
			p := sandbox.Compose(at, sandbox.KindShell, sandbox.Config{Extra: sandbox.Paths{ReadWrite: []string{extra}}})
			if got := slices.Contains(p.Protected, row.path); got != row.protected {
				t.Errorf("protected: %t", got)
			}
			if got := slices.Contains(p.Named, row.path); got != row.protected {
				t.Errorf("never created: %t", got)
			}
		})
	}
	inside := sandbox.Compose(sandbox.Place{Workdir: work + "/sub/.aura/plugins/p", Temp: base, Trusted: []string{work + "/sub/.aura"}}, sandbox.KindShell, sandbox.Config{})
	if !slices.Contains(inside.Exposed, work+"/sub/.aura") {
		t.Errorf("what contains the working directory is not reported: %v", inside.Exposed)
	}
}
