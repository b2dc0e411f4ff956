package builtin_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string
		args map[string]any
		// want is the content of the file after the call. says is a part of the result. fails is a part of the error.
		want, says, fails string
	}{
		{name: "one occurrence", file: "a\nb\nc\n", args: map[string]any{"old": "b", "new": "B"}, want: "a\nB\nc\n", says: "replaced 1 occurrence in f, at line 2"},
		{name: "several lines", file: "a\nb\nc\n", args: map[string]any{"old": "a\nb\n", "new": "x\n"}, want: "x\nc\n", says: "at line 1"},
		{name: "removal", file: "a\nb\n", args: map[string]any{"old": "b\n", "new": ""}, want: "a\n"},
		{name: "no newline at the end", file: "a\nb", args: map[string]any{"old": "b", "new": "c"}, want: "a\nc"},
		{name: "all", file: "a b a\na\n", args: map[string]any{"old": "a", "new": "aa", "replace_all": true}, want: "aa b aa\naa\n", says: "3 occurrences in f, at lines 1, 1, 2"},
		{
			name: "all of many", file: strings.Repeat("a\n", 12), args: map[string]any{"old": "a", "new": "b", "replace_all": true},
			want: strings.Repeat("b\n", 12), says: "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more",
		},
		{name: "ambiguous", file: "a\nb\na\n", args: map[string]any{"old": "a", "new": "b"}, fails: "old occurs 2 times, at lines 1, 3; add the text around the one you mean, or set replace_all"},
		{name: "overlapping is ambiguous", file: "aaa\n", args: map[string]any{"old": "aa", "new": "b"}, fails: "old occurs 2 times"},
		{name: "not found", file: "a\n", args: map[string]any{"old": "x", "new": "y"}, fails: "editing f: old is not in the file; read it again and copy the text exactly"},
		{name: "other white space", file: "x\n\tif a {\n\t\tb\n", args: map[string]any{"old": "  if a {\n    b", "new": "y"}, fails: "line 2 has it with other white space"},
		{name: "same", file: "a\n", args: map[string]any{"old": "a", "new": "a"}, fails: "old and new are the same"},
		{name: "Windows lines", file: "a\r\nb\r\nc\r\n", args: map[string]any{"old": "a\nb\n", "new": "x\ny\nz\n"}, want: "x\r\ny\r\nz\r\nc\r\n"},
		{name: "Windows lines within one", file: "a\r\nb\r\n", args: map[string]any{"old": "a", "new": "x\ny"}, want: "x\r\ny\r\nb\r\n"},
		{name: "Windows lines named as such", file: "a\r\nb\r\n", args: map[string]any{"old": "a\r\nb", "new": "x\r\ny"}, want: "x\r\ny\r\n"},
		{name: "Windows lines made others", file: "a\r\nb\r\n", args: map[string]any{"old": "a\r\n", "new": "a\n"}, want: "a\nb\r\n"},
		{name: "Windows lines sought in others", file: "a\nb\n", args: map[string]any{"old": "a\r\nb", "new": "x\r\ny"}, want: "x\ny\n"},
		{name: "Windows lines differ only", file: "a\nb\n", args: map[string]any{"old": "a\r\n", "new": "a\n"}, fails: "differ only in how lines end"},
		{name: "mixed lines", file: "a\r\nb\nc\nd\n", args: map[string]any{"old": "b\nc", "new": "x\ny"}, want: "a\r\nx\ny\nd\n"},
		{name: "mixed lines, the others", file: "a\r\nb\r\nc\nd\ne\nf\n", args: map[string]any{"old": "a\nb", "new": "x\ny"}, want: "x\r\ny\r\nc\nd\ne\nf\n"},
		{name: "byte order mark", file: "\uFEFFa\nb\n", args: map[string]any{"old": "a\n", "new": "x\n"}, want: "\uFEFFx\nb\n"},
		{name: "bytes that are no text stay", file: "caf\xe9\nb\n", args: map[string]any{"old": "b", "new": "c"}, want: "caf\xe9\nc\n"},
		{name: "binary", file: "a\x00b", args: map[string]any{"old": "a", "new": "b"}, fails: "editing f: it is not a text file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			put(t, path, tt.file)
			if err := os.Chmod(path, 0o750); err != nil {
				t.Fatal(err)
			}
			tt.args["path"] = "f"
			got, err := find(t, dir, "Edit").Execute(t.Context(), tool.Call{Args: tt.args})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %q, %v", got, err)
				}
				tt.want = tt.file
			} else if err != nil || !strings.Contains(got, tt.says) {
				t.Errorf("got %q, %v", got, err)
			}
			holds(t, path, tt.want)
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o750 && runtime.GOOS != "windows" {
				t.Errorf("mode: %v, %v", info.Mode(), err)
			}
		})
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
}

func TestHostilePaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real"), "a\n")
	for name, to := range map[string]string{"link": "real", "loop": "loop", "dangling": "nowhere"} {
		testneed.Link(t, to, filepath.Join(dir, name))
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	huge, err := os.Create(filepath.Join(dir, "huge"))
	if err == nil {
		err = huge.Truncate(65 << 20) // sparse
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = huge.Close()
	patch := func(lines string) map[string]any {
		return map[string]any{"patch": "*** Begin Patch\n" + lines + "\n*** End Patch"}
	}
	tests := []struct {
		tool  string
		args  map[string]any
		fails string
	}{
		{"Edit", map[string]any{"path": "sub", "old": "a", "new": "b"}, "it is a directory"},
		{"Edit", map[string]any{"path": "none", "old": "a", "new": "b"}, "editing none: "},
		{"Edit", map[string]any{"path": "loop", "old": "a", "new": "b"}, "editing loop: "},
		{"Edit", map[string]any{"path": "dangling", "old": "a", "new": "b"}, "editing dangling: "},
		{"Edit", map[string]any{"path": "huge", "old": "a", "new": "b"}, "it has more than the limit of 64 MiB"},
		{"Edit", map[string]any{"path": "real/x", "old": "a", "new": "b"}, "editing real/x: "},
		{"Edit", map[string]any{"path": "a\x00b", "old": "a", "new": "b"}, "invalid argument"},
		{"Write", map[string]any{"path": "loop", "content": "x"}, "writing loop: "},
		{"Read", map[string]any{"path": "loop"}, "reading loop: "},
		{"Rg", map[string]any{"path": "loop", "pattern": "x"}, "searching loop: "},
		{"Rg", map[string]any{"path": "none", "pattern": "x"}, "searching none: "},
		{"Patch", patch("*** Update File: sub\n@@\n-a\n+b"), "patching sub: it is a directory"},
		{"Patch", patch("*** Delete File: sub"), "patching sub: it is a directory"},
		{"Patch", patch("*** Update File: loop\n@@\n-a\n+b"), "patching loop: "},
		{"Patch", patch("*** Add File: dangling\n+b"), "patching dangling: there is such a file already"},
		{"Patch", patch("*** Add File: real/x\n+b"), "patching real/x: "},
	}
	for _, tt := range tests {
		got, err := find(t, dir, tt.tool).Execute(t.Context(), tool.Call{Args: tt.args})
		if err == nil || !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s %v: got %q, %v", tt.tool, tt.args, got, err)
		}
	}
	if _, err := find(t, dir, "Edit").Execute(t.Context(), tool.Call{Args: map[string]any{"path": "link", "old": "a", "new": "b"}}); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "real"), "b\n")
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
}
