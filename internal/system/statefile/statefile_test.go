package statefile

import (
	"errors"
	"path/filepath"
	"testing"
)

// TestChangeIsDurable checks that a change is reported as made only once its name is durable.
func TestChangeIsDurable(t *testing.T) {
	lost := errors.New("the disk is gone")
	before := syncDir
	t.Cleanup(func() { syncDir = before })
	synced := ""
	syncDir = func(dir string) error { synced = dir; return lost }
	f := File[int]{Path: filepath.Join(t.TempDir(), "state", "value.json"), Max: 100, Empty: func() int { return 0 }, Check: func(*int) error { return nil }}
	if err := f.Change(func(v *int) { *v = 7 }); !errors.Is(err, lost) || synced != filepath.Dir(f.Path) {
		t.Errorf("synced %q, got %v", synced, err)
	}
	syncDir = before
	if err := f.Change(func(v *int) { *v++ }); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read(); err != nil || got != 8 {
		t.Errorf("got %d, %v", got, err)
	}
}
