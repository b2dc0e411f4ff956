package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
)

// TestWide is about places that would open too much.
func TestWide(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project", ".ssh", ".config", "docs"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".ssh", filepath.Join(home, "keys")); err != nil {
		t.Skip(err)
	}
	for name, tt := range map[string]struct {
		workdir, temp string
		want          []string
		warnings      string
	}{
		"project":             {home + "/project", "", []string{home + "/project", "/tmp"}, ""},
		"home":                {home, "", []string{home + "/docs", home + "/project", "/tmp"}, "your home directory"},
		"root":                {"/", "", []string{"/tmp"}, "the whole system"},
		"around the home":     {filepath.Dir(home), "", []string{filepath.Dir(home), "/tmp"}, ""},
		"temporary is home":   {home + "/project", home, []string{home + "/project"}, "set TMPDIR"},
		"temporary is root":   {home + "/project", "/", []string{home + "/project"}, "set TMPDIR"},
		"temporary in a home": {home + "/project", home + "/docs", []string{home + "/project", home + "/docs"}, ""},
	} {
		at := sandbox.Place{Workdir: tt.workdir, Home: home, Temp: tt.temp}
		if got := sandbox.Default(at, sandbox.KindFiles).ReadWrite; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if got := strings.Join(at.Warnings(), "\n"); (got == "") != (tt.warnings == "") || !strings.Contains(got, tt.warnings) {
			t.Errorf("%s: warnings %q", name, got)
		}
	}
}
