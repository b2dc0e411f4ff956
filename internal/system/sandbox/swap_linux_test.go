package sandbox_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestGrantsSwapped replaces a granted path after it was opened and before a process uses it. The process must be refused the
// path, and its report must name the path. As a control, a policy that was not opened grants whatever is at the path.
func TestGrantsSwapped(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		// swap gets the directory that contains around/granted and home.
		swap func(base string) error
		// missed is true if the attack fails without the protection too.
		missed bool
	}{
		"another directory": {swap: func(base string) error {
			return errors.Join(os.Rename(base+"/around/granted", base+"/gone"), os.Rename(base+"/home", base+"/around/granted"))
		}},
		"a link": {swap: func(base string) error {
			return errors.Join(os.Rename(base+"/around/granted", base+"/gone"), os.Symlink("../home", base+"/around/granted"))
		}},
		"a link in the place of its parent": {swap: func(base string) error {
			return errors.Join(os.Rename(base+"/around", base+"/gone"), os.Rename(base+"/home", base+"/granted"),
				os.Mkdir(base+"/home", 0o700), os.Rename(base+"/granted", base+"/home/granted"), os.Symlink("home", base+"/around"))
		}},
		// The inode number of a removed directory can be reused for the next one, unless a process has the removed directory
		// open.
		"a new directory": {swap: func(base string) error {
			return errors.Join(os.Remove(base+"/around/granted"), os.Mkdir(base+"/around/granted", 0o700))
		}},
		"a file": {missed: true, swap: func(base string) error {
			return errors.Join(os.Remove(base+"/around/granted"), os.WriteFile(base+"/around/granted", nil, 0o600))
		}},
		"nothing": {missed: true, swap: func(base string) error { return os.Remove(base + "/around/granted") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, opened := range []bool{true, false} {
				c, granted := swapped(t, opened, tt.swap)
				r, err := sandbox.Run(t.Context(), c)
				said := strings.Join(r.Report.Uncovered, "\n")
				switch {
				case opened && (err == nil || !strings.Contains(said, granted+" is not granted: ")):
					t.Errorf("error %v, said %q", err, said)
				case !opened && (err == nil) == tt.missed:
					t.Errorf("without the protection: error %v, said %q", err, said)
				}
			}
		})
	}
	c, _ := swapped(t, true, func(string) error { return nil })
	if r, err := sandbox.Run(t.Context(), c); err != nil {
		t.Errorf("without a swap: %v, said %q", err, r.Report.Uncovered)
	}
}

// swapped returns a command that writes a file in a directory that was granted before the swap. opened says whether the policy
// was opened before the swap.
func swapped(t *testing.T, opened bool, swap func(base string) error) (sandbox.Command, string) {
	t.Helper()
	c := command(t, "write")
	base, err := filepath.EvalSymlinks(t.TempDir())
	granted := filepath.Join(base, "around/granted")
	if err = errors.Join(err, os.MkdirAll(granted, 0o700), os.Mkdir(base+"/home", 0o700)); err != nil {
		t.Fatal(err)
	}
	c.Policy.ReadWrite = append(c.Policy.ReadWrite, granted)
	c.Call.Args = json.RawMessage(strconv.Quote(filepath.Join(granted, "x")))
	if opened {
		g := sandbox.GrantsIn(c.Dir)
		t.Cleanup(g.Close)
		c.Policy = g.Open(c.Policy)
	}
	if err := swap(base); err != nil {
		t.Fatal(err)
	}
	return c, granted
}
