package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestReportedChanges compares what the kernel reports with what a look at everything finds, after random changes.
func TestReportedChanges(t *testing.T) {
	t.Parallel()
	for seed := range testneed.Times(20, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 2))
			k := newKept(t, DefaultLimits())
			c := changer{kept: k, r: r}
			for range 12 {
				for range 1 + r.IntN(6) {
					c.changeMore()
				}
				k.check(k.Snapshot(t.Context(), Before, time.Now(), false))
				found, err := k.scan.run(t.Context(), false)
				k.check(err)
				for _, change := range found {
					t.Fatalf("%q changed without a report: %+v became %+v", change.path, change.was, change.made)
				}
			}
		})
	}
}

// changeMore makes a random change, also one that is not seen in the directory itself.
func (c changer) changeMore() {
	c.t.Helper()
	name, isDir := c.pick()
	switch c.r.IntN(12) {
	case 0: // rules for what is below
		dir := c.tree
		if isDir {
			dir = c.path(name)
		}
		if info, err := os.Lstat(filepath.Join(dir, ".gitignore")); err == nil && !info.Mode().IsRegular() {
			return
		}
		c.check(os.WriteFile(filepath.Join(dir, ".gitignore"), fmt.Appendf(nil, "n%d*\n", c.r.IntN(10)), 0o644))
	case 1: // a second name, in whatever directory
		if info, err := os.Lstat(c.path(name)); err == nil && info.Mode().IsRegular() {
			if err := os.Link(c.path(name), c.path(c.fresh())); err != nil && !errors.Is(err, os.ErrExist) {
				c.t.Fatal(err)
			}
		}
	case 2: // two directories change places
		other, alsoDir := c.pick()
		if isDir && alsoDir && filepath.Dir(name) == filepath.Dir(other) && name != other {
			c.check(os.Rename(c.path(name), c.path("swap")))
			c.check(os.Rename(c.path(other), c.path(name)))
			c.check(os.Rename(c.path("swap"), c.path(other)))
		}
	case 3:
		if fresh := c.path(c.fresh()); errors.Is(missing(fresh), os.ErrNotExist) {
			c.check(os.MkdirAll(filepath.Join(fresh, "deep", "deeper"), 0o755))
		}
	default:
		c.change()
	}
}

func missing(path string) error {
	_, err := os.Lstat(path)
	return err
}

// TestUnchangedDirectories checks that a snapshot of a tree without changes looks into no directory, and one with a change into one.
func TestUnchangedDirectories(t *testing.T) {
	t.Parallel()
	k := newKept(t, DefaultLimits())
	for i := range 20 {
		k.check(os.MkdirAll(k.path(fmt.Sprintf("d%d/e", i)), 0o755))
		k.check(os.WriteFile(k.path(fmt.Sprintf("d%d/e/f", i)), []byte("x"), 0o644))
	}
	dirty := func() (out []string) {
		k.check(k.Snapshot(t.Context(), Before, time.Now(), false))
		for name, f := range k.scan.folders {
			if !f.clean {
				out = append(out, name)
			}
		}
		return out
	}
	if got := dirty(); len(got) != 41 {
		t.Errorf("the first snapshot looked at %d directories", len(got))
	}
	if got := dirty(); len(got) != 0 {
		t.Errorf("nothing changed, and it looked at %q", got)
	}
	k.check(os.WriteFile(k.path("d7/e/f"), []byte("y"), 0o644))
	if got := dirty(); len(got) != 1 || got[0] != "d7/e" {
		t.Errorf("d7/e changed, and it looked at %q", got)
	}
	if left := k.Looked(); left != 60 {
		t.Errorf("%d files and directories are there, not 60", left)
	}
}

// interrupted is a context that ends after it was asked a number of times.
type interrupted struct {
	context.Context //nolint:containedctx // it is one

	left atomic.Int64
}

func (c *interrupted) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedSnapshot interrupts a snapshot at different moments: the next one keeps everything.
func TestInterruptedSnapshot(t *testing.T) {
	t.Parallel()
	for _, moment := range []int64{0, 1, 7, 40} {
		t.Run(fmt.Sprint(moment), func(t *testing.T) {
			t.Parallel()
			k := newKept(t, DefaultLimits())
			ctx := &interrupted{Context: t.Context()}
			for round := range 2 { // the first snapshot, and one with an index
				for i := range 30 {
					k.check(os.MkdirAll(k.path(fmt.Sprintf("d%d", i)), 0o755))
					k.check(os.WriteFile(k.path(fmt.Sprintf("d%d/f", i)), fmt.Append(nil, round), 0o644))
				}
				was := stateOf(t, k.tree)
				ctx.left.Store(moment)
				if err := k.Snapshot(ctx, Before, time.Now(), false); !errors.Is(err, context.Canceled) {
					t.Fatalf("it was not interrupted: %v", err)
				}
				at := k.before()
				k.check(os.RemoveAll(k.path("d3")))
				k.check(os.WriteFile(k.path("d4/f"), []byte("y"), 0o644))
				k.after()
				k.back(at, true)
				if d := diff(stateOf(t, k.tree), was); d != "" {
					t.Fatalf("after a rewind:\n%s", d)
				}
			}
		})
	}
}
