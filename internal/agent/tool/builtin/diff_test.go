package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/base/limit"
)

// TestDiffs checks the diffs that tools report, before a call and after it.
func TestDiffs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of text\n", limit.DiffSource/15+1)
	for name, row := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"edit":            {"Edit", map[string]any{"path": "a.txt", "old": "two", "new": "2"}, "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
		"edit that fails": {"Edit", map[string]any{"path": "a.txt", "old": "four", "new": "4"}, ""},
		"new file":        {"Write", map[string]any{"path": "d/new.txt", "content": "x\ny"}, "--- /dev/null\n+++ b/d/new.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n"},
		"written anew":    {"Write", map[string]any{"path": "a.txt", "content": "one\n"}, "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1 @@\n one\n-two\n-three\n"},
		"the same again":  {"Write", map[string]any{"path": "a.txt", "content": "one\ntwo\nthree\n"}, ""},
		"no text before":  {"Write", map[string]any{"path": "binary", "content": "x"}, ""},
		"long before":     {"Write", map[string]any{"path": "long.txt", "content": "x"}, ""},
		"long after":      {"Write", map[string]any{"path": "a.txt", "content": long}, ""},
		"patch": {
			"Patch",
			map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Add File: b.txt\n+b\n*** Delete File: c.txt\n*** End Patch"},
			"--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n--- a/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n",
		},
		"moved": {
			"Patch",
			map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: z.txt\n@@\n one\n-two\n+2\n*** End Patch"},
			"--- a/a.txt\n+++ b/z.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
		},
		"one of two": {
			"Patch", map[string]any{"patch": "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Delete File: binary\n*** End Patch"}, "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n",
		},
		"reading": {"Read", map[string]any{"path": "a.txt"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, content := range map[string]string{"a.txt": "one\ntwo\nthree\n", "c.txt": "c\n", "binary": "\x00", "long.txt": long} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			for _, each := range builtin.All(builtin.Options{Workdir: dir}) {
				if each.Definition().Name == row.tool {
					want := row.want
					if name == "one of two" {
						want = "" // a preview shows all changes or none
					}
					if p, ok := tool.As[tool.Previewer](each); !ok || p.Preview(row.args) != want {
						t.Errorf("the preview differs: %v", ok)
					}
					// The reported diff shows whether the call failed.
					_, _ = each.Execute(t.Context(), tool.Call{Args: row.args, Changed: func(diff string) { got = diff }})
				}
			}
			if got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
	got := ""
	write := find(t, t.TempDir(), "Write")
	args := map[string]any{"path": "x", "content": strings.Repeat("a line of text\n", 2*limit.Diff/15)}
	if p, ok := tool.As[tool.Previewer](write); !ok || p.Preview(args) != "" {
		t.Error("the preview shows a part of a long diff")
	}
	if _, err := write.Execute(t.Context(), tool.Call{Args: args, Changed: func(diff string) { got = diff }}); err != nil {
		t.Fatal(err)
	}
	if len(got) > limit.Diff || !strings.Contains(got, "a diff has at most 64 KiB") {
		t.Errorf("%s: a long diff has %d bytes, and ends in %q", write.Definition().Name, len(got), got[len(got)-100:])
	}
}
