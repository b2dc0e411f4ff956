//go:build linux && !race

package planted_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/planted"
)

// TestCrowded hides a repository behind more directories than are looked at. The index still leads to it, in each of its formats.
func TestCrowded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i := range 130 {
		for j := range 130 {
			if err := os.MkdirAll(filepath.Join(p.Workdir, fmt.Sprintf("d%03d", i), fmt.Sprintf("e%03d", j)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	w := planted.In(p.Place)
	for _, version := range []string{"2", "3", "4"} {
		dir := "z/y/x/n" + version
		line := "mkdir -p " + dir + " && git init -q " + dir + " && cd " + dir + " && " + commit + " && cd - && git add -N a && git add " + dir + " 2>/dev/null && " +
			"git update-index --index-version " + version + " && git -C " + dir + " config core.fsmonitor x"
		moved, named := p.call(w, line)
		if !slices.Equal(moved, []string{dir + "/.git/config"}) {
			t.Errorf("version %s: moved %q", version, moved)
		}
		if first := version == "2"; first != slices.Equal(named, []string{"."}) {
			t.Errorf("version %s: named %q", version, named)
		}
	}
	if moved, _ := p.call(w, "git init -q z/y/x/m && git -C z/y/x/m config alias.x y"); moved != nil {
		t.Errorf("%q was moved, so the limit does not hold", moved)
	}
}

// TestOtherFileSystem moves things to a store on another file system, and back.
func TestOtherFileSystem(t *testing.T) {
	t.Parallel()
	store, err := os.MkdirTemp("/dev/shm", "planted") //nolint:usetesting // the usual directory is on the same file system
	if err != nil {
		testneed.Missing(t, testneed.Linux, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(store) })
	p := newPlace(t)
	p.Store.Dir = filepath.Join(store, "quarantine")
	w := planted.In(p.Place)
	line := "mkdir -p .claude/a/b && echo x >.claude/a/b/c && chmod 755 .claude/a/b/c && ln -s /etc/passwd .claude/link && mkfifo .claude/pipe"
	if moved, _ := p.call(w, line); !slices.Equal(moved, []string{".claude"}) {
		t.Fatalf("moved %q", moved)
	}
	left, err := os.ReadDir(p.Workdir)
	if err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".aura") }) {
		t.Errorf("there is %v, %v", left, err)
	}
	if _, err := p.Store.Restore(1); err != nil {
		t.Fatal(err)
	}
	p.sh("test -x .claude/a/b/c && test $(readlink .claude/link) = /etc/passwd && ! test -e .claude/pipe && ! ls -A | grep aura-moving")
	// What is too large stays, and the user learns that.
	w.Begin()
	p.sh("mkdir .agents && truncate -s 300M .agents/large")
	found := w.End()
	if len(found) != 1 || found[0].Err == nil || !strings.Contains(found[0].Text("Bash"), "could not move it away (it is larger than") {
		t.Errorf("found %+v", found)
	}
	p.sh("test -e .agents/large")
}

// TestStoreBounds fills a store.
func TestStoreBounds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := planted.In(p.Place)
	for i := range 3 {
		p.call(w, fmt.Sprintf("mkdir -p $(seq -f n%d-%%g/.git 100); for i in $(seq 100); do echo '[alias] x = y' >n%d-$i/.git/config; done", i, i))
	}
	all, err := p.Store.List()
	if err != nil || len(all) != 256 || all[0].ID != 45 {
		t.Errorf("%d entries from %d on, %v", len(all), all[0].ID, err)
	}
	if err := p.Store.Remove(1); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
	if err := p.Store.Remove(300); err != nil {
		t.Error(err)
	}
}
