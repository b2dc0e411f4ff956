package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/shared"
)

// TestTrimCache removes the oldest entries once there are too many.
func TestTrimCache(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ entries, limit, left int }{
		"none":         {0, 4, 0},
		"at the limit": {4, 4, 4},
		"above":        {5, 4, 2},
		"far above":    {20, 4, 2},
	} {
		dir := t.TempDir()
		for i := range row.entries {
			path := filepath.Join(dir, fmt.Sprint(i))
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			when := time.Unix(int64(1000+i), 0)
			if err := os.Chtimes(path, when, when); err != nil {
				t.Fatal(err)
			}
		}
		if err := trimCache(dir, row.limit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != row.left {
			t.Errorf("%s: %d entries are left (%v), want %d", name, len(left), err, row.left)
		}
		for i := row.entries - row.left; i < row.entries; i++ {
			if _, err := os.Stat(filepath.Join(dir, fmt.Sprint(i))); err != nil {
				t.Errorf("%s: a new entry is gone: %v", name, err)
			}
		}
	}
}

// TestLoweredKey caches the lowered source of what an interpreter runs and cannot tamper with.
func TestLoweredKey(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "host")
	if err := os.WriteFile(binary, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &Options{Fixed: Fixed{Binary: binary}}
	base := loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/a"}}, "tree")
	if base == "" {
		t.Fatal("a plain plugin is not cached")
	}
	if loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/a"}}, "tree") != base {
		t.Error("the same plugin has two keys")
	}
	for name, key := range map[string]string{
		"other files":     loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/a"}}, "other"),
		"other directory": loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/b"}}, "tree"),
	} {
		if key == base || key == "" {
			t.Errorf("%s: got %q", name, key)
		}
	}
	for name, key := range map[string]string{
		"unsafe":           loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/a"}, Unsafe: true}, "tree"),
		"guest":            loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/a"}, Guest: &shared.Guest{Program: "python3"}}, "tree"),
		"unreadable files": loweredKey(o, Spec{Plugin: manifest.Plugin{Dir: "/a"}}, ""),
		"no plugin host":   loweredKey(&Options{Fixed: Fixed{Binary: binary + "x"}}, Spec{Plugin: manifest.Plugin{Dir: "/a"}}, "tree"),
	} {
		if key != "" {
			t.Errorf("%s: cached as %q", name, key)
		}
	}
}
