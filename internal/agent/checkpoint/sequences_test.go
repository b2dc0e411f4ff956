//go:build unix

package checkpoint

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestSequences compares random sequences of changes and rewinds with copies.
func TestSequences(t *testing.T) {
	t.Parallel()
	for seed := range testneed.Times(20, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			k := newKept(t, DefaultLimits())
			c := changer{kept: k, r: r}
			for range 10 {
				c.change()
			}
			type mark struct {
				at    time.Time
				state map[string]string
			}
			var marks []mark
			for range 12 {
				switch {
				case len(marks) > 0 && r.IntN(4) == 0:
					m := marks[r.IntN(len(marks))]
					was := stateOf(t, k.tree)
					p, done := k.back(m.at, true)
					if d := diff(stateOf(t, k.tree), m.state); d != "" || len(done.Failed) > 0 || len(p.Skipped) > 0 {
						t.Fatalf("after a rewind of %d steps:\n%s\nfailed %v, skipped %v", len(p.Steps), d, done.Failed, p.Skipped)
					}
					if r.IntN(2) == 0 {
						p, err := k.Undo(t.Context())
						k.check(err)
						_, err = k.Restore(t.Context(), p, true)
						k.check(err)
						if d := diff(stateOf(t, k.tree), was); d != "" {
							t.Fatalf("after an undo:\n%s", d)
						}
					}
				case r.IntN(5) == 0:
					c.change() // by other hands
				case r.IntN(6) == 0:
					k.reopen(DefaultLimits())
				default:
					m := mark{state: stateOf(t, k.tree)}
					m.at = k.before()
					marks = append(marks, m)
					for range 1 + r.IntN(8) {
						c.change()
					}
					k.after()
				}
			}
		})
	}
}

// changer makes random changes.
type changer struct {
	*kept
	r *rand.Rand
}

// pick returns a path that exists, and whether it is a directory; or nothing.
func (c changer) pick() (string, bool) {
	names := slices.Sorted(maps.Keys(stateOf(c.t, c.tree)))
	if len(names) == 0 {
		return "", false
	}
	name := names[c.r.IntN(len(names))]
	info, err := os.Lstat(c.path(name))
	c.check(err)
	return name, info.IsDir()
}

// fresh returns a path that does not exist, in a directory that does.
func (c changer) fresh() string {
	in := "."
	if name, isDir := c.pick(); isDir {
		in = name
	}
	return filepath.Join(in, fmt.Sprintf("n%d \xff\n", c.r.IntN(1000)))
}

func (c changer) change() {
	c.t.Helper()
	name, isDir := c.pick()
	fresh := c.path(c.fresh())
	if _, err := os.Lstat(fresh); err == nil {
		return
	}
	data := make([]byte, c.r.IntN(200))
	for i := range data {
		data[i] = byte(c.r.Uint32())
	}
	switch c.r.IntN(9) {
	case 0, 1:
		c.check(os.WriteFile(fresh, data, 0o644))
	case 2:
		c.check(os.Mkdir(fresh, 0o755))
	case 3:
		c.check(os.Symlink([]string{"/etc", "nowhere", ".."}[c.r.IntN(3)], fresh))
	case 4:
		if name != "" {
			c.check(os.RemoveAll(c.path(name)))
		}
	case 5:
		if name != "" && !strings.HasPrefix(fresh, c.path(name)+"/") {
			c.check(os.Rename(c.path(name), fresh))
		}
	case 6:
		if info, err := os.Lstat(c.path(name)); name != "" && err == nil && info.Mode()&fs.ModeSymlink == 0 {
			c.check(os.Chmod(c.path(name), []fs.FileMode{0o700, 0o755, 0o711}[c.r.IntN(3)]))
		}
	case 7: // a file becomes a directory, or the other way round
		if name == "" {
			return
		}
		c.check(os.RemoveAll(c.path(name)))
		if isDir {
			c.check(os.WriteFile(c.path(name), data, 0o600))
			return
		}
		c.check(os.MkdirAll(filepath.Join(c.path(name), "deep", "empty"), 0o755))
	case 8: // another content of the same size, in place and with the old time
		info, err := os.Lstat(c.path(name))
		if name == "" || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return
		}
		old, err := os.ReadFile(c.path(name))
		c.check(err)
		old[0]++
		c.check(os.WriteFile(c.path(name), old, 0))
		c.check(os.Chtimes(c.path(name), time.Time{}, info.ModTime()))
	}
}
