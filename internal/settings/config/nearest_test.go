package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNearestHome has a row for each rule about where a project's home is searched.
func TestNearestHome(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		dirs          []string
		workdir, want string
	}{
		"own":                      {[]string{"repo/.git", "repo/.aura", "repo/sub/.aura"}, "repo/sub", "repo/sub/.aura"},
		"root of the repository":   {[]string{"repo/.git", "repo/.aura", "repo/a/b"}, "repo/a/b", "repo/.aura"},
		"nearest":                  {[]string{"repo/.git", "repo/.aura", "repo/a/.aura", "repo/a/b"}, "repo/a/b", "repo/a/.aura"},
		"not beyond the root":      {[]string{".aura", "repo/.git", "repo/a"}, "repo/a", "repo/a/.aura"},
		"not out of a submodule":   {[]string{"repo/.git", "repo/.aura", "repo/sub/.git", "repo/sub/a"}, "repo/sub/a", "repo/sub/a/.aura"},
		"outside of a repository":  {[]string{"dir/.aura", "dir/a"}, "dir/a", "dir/a/.aura"},
		"none":                     {[]string{"repo/.git", "repo/a"}, "repo/a", "repo/a/.aura"},
		"not beyond the user home": {[]string{".git", ".aura", "home/a"}, "home/a", "home/a/.aura"},
		"not the user home itself": {[]string{"home/.git", "home/.aura", "home/a"}, "home/a", "home/a/.aura"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			for _, dir := range row.dirs {
				if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if got := nearestHome(filepath.Join(base, row.workdir), filepath.Join(base, "home")); got != filepath.Join(base, row.want) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
