package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestSpares checks that a process started in advance does what a new one would, whatever the previous call was.
func TestSpares(t *testing.T) {
	t.Parallel()
	var s sandbox.Spares
	defer s.Close()
	one := command(t, "nothing")
	for _, tool := range []string{"nothing", "fail", "exit", "panic", "nothing"} {
		one.Call.Tool = tool
		r, err := s.Run(t.Context(), one)
		if (err == nil) != (tool == "nothing") || !r.Report.Confined {
			t.Errorf("%s: %+v, %v", tool, r, err)
		}
	}
	// Another environment needs another process.
	one.Call.Tool, one.Env = "environment", append(one.Env, "B=2")
	r, err := s.Run(t.Context(), one)
	if err != nil || !strings.Contains(string(r.Value), "B=2") {
		t.Errorf("got %s, %v", r.Value, err)
	}
	// At most one of several concurrent calls gets the same spare process.
	one.Call.Tool = "nothing"
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if r, err := s.Run(t.Context(), one); err != nil || string(r.Value) != "null" {
				t.Errorf("side by side: %s, %v", r.Value, err)
			}
		})
	}
	group.Wait()
	s.Close()
	if _, err := s.Run(t.Context(), one); err != nil {
		t.Errorf("after Close a call has a process of its own: %v", err)
	}
	one.Call.Tool = "fail"
	var own *sandbox.ToolError
	if _, err := s.Run(t.Context(), one); !errors.As(err, &own) {
		t.Errorf("got %v", err)
	}
}

// TestSparesConfined checks that a process that was confined in advance is used for the same policy only, and only while every path of the
// policy leads to the same file.
func TestSparesConfined(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		change func(work string, c *sandbox.Command) error
		used   bool
		err    string
	}{
		"nothing": {func(string, *sandbox.Command) error { return nil }, true, ""},
		"a file that no path names": {func(work string, _ *sandbox.Command) error {
			return os.WriteFile(filepath.Join(work, "other"), nil, 0o600)
		}, true, ""},
		"a protected file that is new": {func(work string, _ *sandbox.Command) error {
			return os.WriteFile(filepath.Join(work, "kept"), nil, 0o600)
		}, false, "read-only file system"},
		"a directory that is replaced": {func(work string, _ *sandbox.Command) error {
			return errors.Join(os.Rename(work, work+".old"), os.Mkdir(work, 0o755))
		}, false, "read-only file system"},
		"another policy": {func(_ string, c *sandbox.Command) error { c.Policy.Network = !c.Policy.Network; return nil }, false, ""},
	}
	for name, tt := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := readied(t)
			if err := tt.change(c.Dir, &c); err != nil {
				t.Fatal(err)
			}
			if used := s.TakesConfined(c); used != tt.used {
				t.Errorf("the process that was confined in advance is used: %t", used)
			}
			s, c = readied(t)
			if err := tt.change(c.Dir, &c); err != nil {
				t.Fatal(err)
			}
			c.Call.Tool, c.Call.Args = "write", []byte(strconv.Quote(filepath.Join(c.Dir, "kept")))
			_, err := s.Run(t.Context(), c)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("writing to the protected path: %v", err)
			}
		})
	}
}

// readied returns processes that are ready for a command, whose policy protects a file that does not exist.
func readied(t *testing.T) (*sandbox.Spares, sandbox.Command) {
	t.Helper()
	s := new(sandbox.Spares)
	t.Cleanup(s.Close)
	c := command(t, "nothing")
	c.Policy.Protected, c.Policy.Named = []string{filepath.Join(c.Dir, "kept")}, []string{filepath.Join(c.Dir, "kept")}
	c.Policy = sandbox.GrantsIn(c.Dir).Open(c.Policy)
	if _, err := s.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.AwaitSpares()
	return s, c
}
