package sandbox_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestGrantsPassed grants more directories than one message can carry as descriptors. Each of them can be written, and the tool finds none of the
// descriptors. A spare process does the same as a new one.
func TestGrantsPassed(t *testing.T) {
	t.Parallel()
	c := command(t, "write")
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for i := range 300 {
		dirs = append(dirs, filepath.Join(base, strconv.Itoa(i)))
		if err := os.Mkdir(dirs[i], 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.Policy.ReadWrite = append(c.Policy.ReadWrite, dirs...)
	g := sandbox.GrantsIn(c.Dir)
	t.Cleanup(g.Close)
	c.Policy = g.Open(c.Policy)
	for _, dir := range append(dirs, c.Dir) {
		if f := fileOf(c.Policy, dir); f == nil || f.Name() != dir {
			t.Fatalf("%s is not passed", dir)
		}
	}
	var s sandbox.Spares
	defer s.Close()
	for _, dir := range []string{c.Dir, dirs[0], dirs[299]} {
		c.Call.Args = json.RawMessage(strconv.Quote(filepath.Join(dir, "x")))
		if r, err := s.Run(t.Context(), c); err != nil {
			t.Errorf("writing to %s: %v, said %q", dir, err, r.Report.Uncovered)
		}
	}
	c.Call.Tool = "own descriptors"
	r, err := s.Run(t.Context(), c)
	var open []string
	if err != nil || json.Unmarshal(r.Value, &open) != nil || len(open) < 4 {
		t.Fatalf("got %s, %v", r.Value, err)
	}
	if slices.ContainsFunc(open, func(path string) bool { return strings.HasPrefix(path, base) || strings.HasPrefix(path, c.Dir) }) {
		t.Errorf("the tool can use descriptors of %q", open)
	}
}

// TestGrantsClosed checks that a call whose granted files are closed fails, and that the next call works.
func TestGrantsClosed(t *testing.T) {
	t.Parallel()
	c := command(t, "nothing")
	var g sandbox.Grants
	closed := c
	closed.Policy = g.Open(c.Policy)
	g.Close()
	var s sandbox.Spares
	defer s.Close()
	for i, tt := range []struct {
		c  sandbox.Command
		ok bool
	}{{c, true}, {closed, false}, {c, true}} {
		if _, err := s.Run(t.Context(), tt.c); (err == nil) != tt.ok || err != nil && !strings.Contains(fmt.Sprint(err), "passing the granted files") {
			t.Errorf("call %d: %v", i, err)
		}
	}
}
