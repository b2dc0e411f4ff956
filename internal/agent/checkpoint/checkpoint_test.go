//go:build unix

package checkpoint

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/gitignore"
)

// stateOf returns what a directory has, as a snapshot would keep it.
func stateOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text := ""
		switch {
		case e.Name() == ".git":
			return fs.SkipDir
		case info.Mode()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
			out[name] = "link " + text
			return err
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			out[name] = fmt.Sprintf("%v %q", info.Mode(), data)
			return err
		}
		out[name] = info.Mode().String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func diff(got, want map[string]string) string {
	var out []string
	for name := range want {
		if got[name] != want[name] {
			out = append(out, fmt.Sprintf("%s: got %.60s, want %.60s", name, got[name], want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			out = append(out, name+" is too much")
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// kept is a store for a test.
type kept struct {
	*Store
	t    *testing.T
	dir  string
	tree string
	now  time.Time
}

func newKept(t *testing.T, l Limits) *kept {
	t.Helper()
	k := &kept{t: t, dir: filepath.Join(t.TempDir(), "store"), tree: t.TempDir(), now: time.Unix(1000, 0)}
	k.reopen(l)
	return k
}

func (k *kept) reopen(l Limits) {
	k.t.Helper()
	if k.Store != nil {
		k.check(k.Close())
	}
	s, err := Open(k.dir, k.tree, l)
	k.check(err)
	k.Store = s
	k.t.Cleanup(func() { k.check(s.Close()) })
}

func (k *kept) check(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// before takes a snapshot before a change, and returns its mark.
func (k *kept) before() time.Time {
	k.t.Helper()
	k.now = k.now.Add(time.Second)
	k.check(k.Snapshot(k.t.Context(), Before, k.now, false))
	return k.now
}

func (k *kept) after() { k.t.Helper(); k.check(k.Snapshot(k.t.Context(), After, k.now, true)) }

func (k *kept) path(name string) string { return filepath.Join(k.tree, name) }

func (k *kept) write(name, text string) {
	k.t.Helper()
	k.check(os.MkdirAll(filepath.Dir(k.path(name)), 0o755))
	k.check(os.WriteFile(k.path(name), []byte(text), 0o644))
}

// back returns to a mark.
func (k *kept) back(at time.Time, others bool) (Plan, Result) {
	k.t.Helper()
	id, ok, err := k.First(at)
	k.check(err)
	if !ok {
		k.t.Fatalf("nothing was changed since %s", at)
	}
	return k.to(id, others)
}

func (k *kept) to(id int, others bool) (Plan, Result) {
	k.t.Helper()
	p, err := k.Plan(k.t.Context(), id)
	k.check(err)
	r, err := k.Restore(k.t.Context(), p, others)
	k.check(err)
	return p, r
}

// TestOthers checks what counts as a change by other hands, and that it stays unless it is asked for.
func TestOthers(t *testing.T) {
	t.Parallel()
	k := newKept(t, DefaultLimits())
	k.write("a", "1")
	k.write("b", "1")
	at := k.before()
	k.write("a", "2")
	k.write("new", "2")
	k.after()
	k.write("b", "mine")
	k.before()
	k.write("a", "3")
	k.after()
	k.write("new", "mine")
	p, done := k.back(at, false)
	if got := p.Others(); !reflect.DeepEqual(got, []string{"b", "new"}) || len(done.Done) != 1 {
		t.Errorf("changed by others: %q, done %v", got, done.Done)
	}
	if got := stateOf(t, k.tree); got["a"] != `-rw-r--r-- "1"` || got["b"] != `-rw-r--r-- "mine"` || got["new"] != `-rw-r--r-- "mine"` {
		t.Errorf("got %v", got)
	}
	k.back(at, true)
	if got := stateOf(t, k.tree); got["b"] != `-rw-r--r-- "1"` || got["new"] != "" {
		t.Errorf("got %v", got)
	}
}

// TestLeftOut checks what is not kept, and that a rewind leaves it.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	l.File = 100
	k := newKept(t, l)
	big := strings.Repeat("x", 101)
	for name, text := range map[string]string{
		".gitignore": "*.log\nout/\n", "a.log": "1", "out/x": "1", "node_modules/m/x": "1", "target/CACHEDIR.TAG": "1", "target/x": "1", "big": big, "grows": "1",
		".git/config": "1", "sub/.git/config": "1", "tracked/x": "1",
	} {
		k.write(name, text)
	}
	k.check(syscall.Mkfifo(k.path("pipe"), 0o600))
	at := k.before()
	for _, name := range []string{"a.log", "out/x", "node_modules/m/x", "target/x", "big", ".git/config", "sub/.git/config", "tracked/x"} {
		k.write(name, "2")
	}
	k.write("grows", big)
	k.write(".gitignore", "tracked/\n")
	k.after()
	p, done := k.back(at, true)
	var names []string
	for _, s := range done.Done {
		names = append(names, s.Path)
	}
	slices.Sort(names)
	// What was ignored or too large is new to the snapshot; it stays, because the plan would remove it without a copy of what it was.
	if want := []string{".gitignore", "tracked/x"}; !slices.Contains(names, want[0]) || !slices.Contains(names, want[1]) {
		t.Errorf("done %q, plan %+v", names, p.Skipped)
	}
	if _, ok := k.LeftOut()["node_modules"]; !ok || len(done.Failed) > 0 {
		t.Errorf("left out %v, failed %v", k.LeftOut(), done.Failed)
	}
	for name, want := range map[string]string{"node_modules/m/x": "2", "target/x": "2", ".git/config": "2", "sub/.git/config": "2", "grows": big, "tracked/x": "1"} {
		if got, err := os.ReadFile(k.path(name)); err != nil || string(got) != want {
			t.Errorf("%s: got %.20q, %v", name, got, err)
		}
	}
	if gitignore.Above(k.tree) != nil {
		t.Error("the tree is no repository of its own")
	}
}

// TestLinks puts a link in the place of a directory: nothing outside is read or changed.
func TestLinks(t *testing.T) {
	t.Parallel()
	k := newKept(t, DefaultLimits())
	outside := t.TempDir()
	k.check(os.WriteFile(filepath.Join(outside, "secret"), []byte("outside"), 0o600))
	k.write("d/secret", "inside")
	at := k.before()
	k.check(os.RemoveAll(k.path("d")))
	k.check(os.Symlink(outside, k.path("d")))
	k.after()
	id, _, err := k.First(at)
	k.check(err)
	p, err := k.Plan(t.Context(), id)
	k.check(err)
	// The plan expects a link; now a directory leads elsewhere once more.
	k.check(os.Remove(k.path("d")))
	k.check(os.Symlink(t.TempDir(), k.path("d")))
	r, err := k.Restore(t.Context(), p, true)
	k.check(err)
	if r.Failed["d"] == "" {
		t.Errorf("a link that changed was replaced: %+v", r)
	}
	k.back(at, true)
	if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "outside" {
		t.Errorf("outside: %q, %v", data, err)
	}
	if got := stateOf(t, k.tree)["d/secret"]; got != `-rw-r--r-- "inside"` {
		t.Errorf("got %s", got)
	}
	kept, err := os.ReadFile(filepath.Join(k.dir, objectsName))
	if err != nil || strings.Contains(string(kept), "outside") {
		t.Errorf("a file outside was read: %v", err)
	}
}

// TestChangedSince changes a file after the plan was made.
func TestChangedSince(t *testing.T) {
	t.Parallel()
	k := newKept(t, DefaultLimits())
	k.write("a", "1")
	at := k.before()
	k.write("a", "2")
	k.write("b", "2")
	k.after()
	id, _, err := k.First(at)
	k.check(err)
	p, err := k.Plan(t.Context(), id)
	k.check(err)
	k.write("a", "in between")
	r, err := k.Restore(t.Context(), p, true)
	k.check(err)
	if r.Failed["a"] == "" || len(r.Done) != 1 || stateOf(t, k.tree)["a"] != `-rw-r--r-- "in between"` {
		t.Errorf("got %+v", r)
	}
	if _, err := k.Restore(t.Context(), p, true); err == nil {
		t.Error("an old plan was carried out")
	}
}

// TestKilled interrupts a rewind after each of its steps, as a kill does: the other steps are missing, and the files of the log are torn. The next
// start knows it, and both ways are open.
func TestKilled(t *testing.T) {
	t.Parallel()
	const changed = 6
	for killed := range changed + 1 {
		for _, undo := range []bool{true, false} {
			k := newKept(t, DefaultLimits())
			for i := range changed {
				k.write(fmt.Sprintf("d%d/f", i), "1")
			}
			first := stateOf(t, k.tree)
			at := k.before()
			for i := range changed {
				k.write(fmt.Sprintf("d%d/f", i), "2")
			}
			k.after()
			second := stateOf(t, k.tree)
			id, _, err := k.First(at)
			k.check(err)
			p, err := k.Plan(t.Context(), id)
			k.check(err)
			k.check(os.WriteFile(filepath.Join(k.dir, intentName), fmt.Appendf(nil, `{"to":%d,"from":%d,"files":%d}`, p.to, p.from, changed), 0o600))
			k.apply(p.Steps[:killed], map[string]string{})
			k.write("d0/"+temporary+"00-1", "torn")
			for _, name := range []string{logName, objectsName} {
				f, err := os.OpenFile(filepath.Join(k.dir, name), os.O_APPEND|os.O_WRONLY, 0)
				k.check(err)
				_, err = f.WriteString("\x00\x00\x00\x09torn")
				k.check(err)
				k.check(f.Close())
			}
			k.reopen(DefaultLimits())
			if i, ok := Interrupted(k.dir); !ok || i.Files != changed || i.To != id {
				t.Fatalf("interrupted: %+v, %t", i, ok)
			}
			want := first
			if undo {
				want = second
				p, err := k.Undo(t.Context())
				k.check(err)
				_, err = k.Restore(t.Context(), p, true)
				k.check(err)
			} else {
				k.to(id, true)
			}
			if d := diff(stateOf(t, k.tree), want); d != "" {
				t.Errorf("killed after %d, undo %t:\n%s", killed, undo, d)
			}
			if _, ok := Interrupted(k.dir); ok {
				t.Error("it still counts as interrupted")
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	l.Total = 1000
	k := newKept(t, l)
	k.write("a", strings.Repeat("a", 500))
	k.write("b", strings.Repeat("b", 500))
	k.before()
	if got := k.LeftOut(); len(got) != 1 || !strings.Contains(got["b"], "limit") {
		t.Errorf("left out %v", got)
	}
	l.Files = 1
	k = newKept(t, l)
	k.write("a", "")
	k.write("b", "")
	if err := k.Snapshot(t.Context(), Before, k.now, false); err == nil || !strings.Contains(err.Error(), "more than 1 files") {
		t.Errorf("got %v", err)
	}
	if _, ok, err := k.First(time.Time{}); ok || err != nil {
		t.Errorf("a snapshot exists: %v", err)
	}
}

// TestNothing takes no snapshot: nothing is created.
func TestNothing(t *testing.T) {
	t.Parallel()
	k := newKept(t, DefaultLimits())
	if _, ok, err := k.First(time.Time{}); ok || err != nil || Exists(k.dir) {
		t.Errorf("a store was created: %v", err)
	}
	if _, err := Open(k.dir, filepath.Join(k.tree, "none"), DefaultLimits()); err == nil {
		t.Error("a missing directory was accepted")
	}
	k.before()
	other, err := Open(k.dir, t.TempDir(), DefaultLimits())
	k.check(err)
	if _, err := other.Plan(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "another directory") {
		t.Errorf("the store of another directory: %v", err)
	}
}
