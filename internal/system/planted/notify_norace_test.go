//go:build linux && !race

package planted

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestChanges changes a tree at random. A scanner that looks only at what the kernel reports sees the same as one that has never looked
// before.
func TestChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			work, outside := filepath.Join(base, "work"), filepath.Join(base, "outside")
			for _, dir := range []string{work, outside} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test repeats what failed
			old := newScanner(work, []string{work})
			for step := range 200 {
				shake(r, work, outside)
				if step%100 == 99 {
					old.changes.Restart() // as after lost events
				}
				if r.IntN(4) != 0 {
					continue
				}
				got, want := seenBy(old), seenBy(newScanner(work, []string{work}))
				if !slices.Equal(got, want) {
					t.Fatalf("step %d: it sees\n%q\nand there is\n%q", step, got, want)
				}
			}
			if old.changes.Len() > 200 {
				t.Errorf("%d directories are watched, and %d exist", old.changes.Len(), len(below(work)))
			}
		})
	}
}

func seenBy(s *scanner) []string {
	defer s.changes.Update()
	now := s.scan()
	return slices.Sorted(maps.Keys(merged(now)))
}

func merged(now *snapshot) map[string]bool {
	out := map[string]bool{}
	for path := range now.controls {
		out["control "+path] = true
	}
	for path, id := range now.marks {
		out[fmt.Sprintf("mark %s %d", path, id.inode)] = true
	}
	for path := range now.dirs {
		out["repository "+path] = true
	}
	return out
}

// shake makes one change that may fail.
func shake(r *rand.Rand, work, outside string) {
	pick := func(dir string) string {
		all := append(below(dir), dir)
		return all[r.IntN(len(all))]
	}
	name := []string{"a", "b", "c", ".git", "modules", ".aura", ".envrc", "hooks"}[r.IntN(8)]
	switch at := pick(work); r.IntN(9) {
	case 0, 1:
		_ = os.Mkdir(filepath.Join(at, name), 0o755)
	case 2:
		_ = os.WriteFile(filepath.Join(at, name), []byte("x"), 0o755) //nolint:gosec // hooks are executable
	case 3:
		_ = os.MkdirAll(filepath.Join(at, ".git", "modules", name, "hooks"), 0o755)
		_ = os.WriteFile(filepath.Join(at, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
		_ = os.WriteFile(filepath.Join(at, ".git", "config"), []byte("[core]\n\tbare = false\n"), 0o600)
	case 4:
		_ = os.Rename(at, filepath.Join(pick(work), name))
	case 5:
		_ = os.Rename(at, filepath.Join(outside, fmt.Sprint(r.Uint32())))
	case 6:
		if all := below(outside); len(all) > 0 {
			_ = os.Rename(all[r.IntN(len(all))], filepath.Join(at, name))
		}
	case 7:
		_ = unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, pick(work), unix.RENAME_EXCHANGE)
	default:
		if at != work && r.IntN(3) == 0 {
			_ = os.RemoveAll(at)
		}
	}
	// A directory around the tree is replaced by another one.
	if r.IntN(40) == 0 {
		_ = os.Rename(work, work+".old")
		_ = os.Mkdir(work, 0o755) //nolint:gosec // as the first one
		_ = os.Rename(filepath.Join(work+".old"), filepath.Join(work, "c"))
	}
}

// below lists the directories below another one.
func below(dir string) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			path := filepath.Join(dir, e.Name())
			out = append(append(out, path), below(path)...)
		}
	}
	return out
}
