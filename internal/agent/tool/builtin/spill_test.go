package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestReplaceOutput has a row for each result of a command. file is the content afterwards of the file that results name; other is that of
// a file that no result may change.
func TestReplaceOutput(t *testing.T) {
	t.Parallel()
	const name = "aura-bash-12.txt"
	for title, tt := range map[string]struct {
		result func(dir string) string
		want   string
	}{
		"named": {func(dir string) string {
			return tool.LeftOutNote("7 bytes", "the full output is in "+filepath.Join(dir, name))
		}, "new"},
		"named elsewhere": {func(string) string { return tool.LeftOutNote("7 bytes", "the full output is in /private/"+name) }, "new"},
		"partly kept": {func(dir string) string {
			return tool.LeftOutNote("7 bytes", "the first 9 bytes of it are in "+filepath.Join(dir, name)+", the rest could not be kept: full")
		}, "new"},
		"no note":  {func(dir string) string { return "see " + filepath.Join(dir, name) }, "old"},
		"not kept": {func(string) string { return tool.LeftOutNote("7 bytes", "the full output could not be kept: no") }, "old"},
		"another file": {func(dir string) string {
			return tool.LeftOutNote("7 bytes", "the full output is in "+filepath.Join(dir, "other"))
		}, "old"},
		"a file elsewhere": {func(string) string { return tool.LeftOutNote("7 bytes", "the full output is in ../other") }, "old"},
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, name), "old")
		put(t, filepath.Join(dir, "other"), "other")
		if err := builtin.ReplaceOutput(tt.result(dir), "new", filepath.Join(dir, "none"), dir); err != nil {
			t.Errorf("%s: %v", title, err)
		}
		holds(t, filepath.Join(dir, name), tt.want)
		holds(t, filepath.Join(dir, "other"), "other")
	}
}

// TestReplaceOutputLink has a link in the place of the file, as confined code can create it.
func TestReplaceOutputLink(t *testing.T) {
	t.Parallel()
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	put(t, victim, "mine")
	testneed.Link(t, victim, filepath.Join(dir, "aura-bash-1.txt"))
	if err := builtin.ReplaceOutput(tool.LeftOutNote("7 bytes", "the full output is in aura-bash-1.txt"), "new", dir); err != nil {
		t.Fatal(err)
	}
	holds(t, victim, "mine")
	if info, err := os.Lstat(filepath.Join(dir, "aura-bash-1.txt")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the file is %v, %v", info, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "aura-bash-2.txt", "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := builtin.ReplaceOutput(tool.LeftOutNote("7 bytes", "the full output is in aura-bash-2.txt"), "new", dir); err == nil {
		t.Error("a directory in the place of the file is not reported")
	}
}
