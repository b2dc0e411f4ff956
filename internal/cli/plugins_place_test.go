package cli

import (
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestPlaceFor checks where plugins are installed, also if the user works in the home directory.
func TestPlaceFor(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	work, none := filepath.Join(dir, "work"), ""
	tests := []struct {
		name    string
		options config.Options
		global  bool
		want    string // empty for an error
	}{
		{"project", config.Options{Workdir: t.TempDir(), UserHome: dir}, false, ".aura"},
		{"user", config.Options{Workdir: t.TempDir(), UserHome: dir}, true, filepath.Join(dir, ".aura")},
		{"user by name", config.Options{Workdir: t.TempDir(), UserHome: dir, Home: &work}, true, work},
		{"project in the home directory", config.Options{Workdir: dir, UserHome: dir}, false, ".aura"},
		{"user in the home directory", config.Options{Workdir: dir, UserHome: dir}, true, filepath.Join(dir, ".aura")},
		{"no user", config.Options{Workdir: dir}, true, ""},
		{"no user by name", config.Options{Workdir: dir, UserHome: dir, Home: &none}, true, ""},
	}
	for _, tt := range tests {
		c, err := config.Load(tt.options)
		if err != nil {
			t.Fatal(err)
		}
		want := tt.want
		if want == ".aura" {
			want = filepath.Join(tt.options.Workdir, want)
		}
		if p, err := placeFor(gate.Listing{Config: c, Text: c}, tt.global); p.Home != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %s, %v, want %s", tt.name, p.Home, err, want)
		}
	}
}
