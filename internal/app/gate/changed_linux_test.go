package gate

import (
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestRecheck checks that a consent no longer covers what changed in a run in which confined code could write it.
func TestRecheck(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		exposed, changed, refused bool
	}{
		"protected, changed": {changed: true},
		"exposed":            {exposed: true},
		"exposed, changed":   {exposed: true, changed: true, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, maps.Clone(asking))
			g.agree(false)
			gate := &Gate{}
			if _, err := gate.Load(t.Context(), g.o); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(g.o.Workdir, "secrets.env")
			for row.changed && !changedAfter(t, path, gate.began) {
				g.write("work/secrets.env", "A=2") // the clock of the file system may be late
			}
			if row.exposed {
				gate.Expose()
			}
			if _, err := gate.Reload(t.Context(), g.o); (err != nil) != row.refused {
				t.Errorf("reloading: %v", err)
			}
			g.load(!row.refused)
		})
	}
}

func changedAfter(t *testing.T, path string, began time.Time) bool {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && time.Unix(stat.Ctim.Unix()).After(began)
}
