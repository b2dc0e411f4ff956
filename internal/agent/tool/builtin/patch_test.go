package builtin_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/sdk"
)

const numbers = "one\ntwo\nthree\nfour\nfive\nsix\n"

// tree returns the contents of the files below a directory, and the directories, by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			out[filepath.ToSlash(name)+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, patch string
		// files holds the files before the patch, want those after it. says is the result. fails is a part of the error.
		files, want map[string]string
		says, fails string
	}{
		{
			name: "update", patch: "*** Update File: f\n@@\n two\n-three\n+THREE\n four", files: map[string]string{"f": numbers},
			want: map[string]string{"f": strings.Replace(numbers, "three", "THREE", 1)}, says: "updated f with 1 hunk",
		},
		{
			name: "several hunks", patch: "*** Update File: f\n@@\n-one\n+1\n@@\n-five\n+5\n+5a\n six", files: map[string]string{"f": numbers},
			want: map[string]string{"f": "1\ntwo\nthree\nfour\n5\n5a\nsix\n"}, says: "updated f with 2 hunks",
		},
		{name: "no line @@ before the first hunk", patch: "*** Update File: f\n-one\n+1", files: map[string]string{"f": numbers}, want: map[string]string{"f": "1" + numbers[3:]}},
		{name: "line numbers are ignored", patch: "*** Update File: f\n@@ -7,2 +9,1 @@ x\n-one\n two", files: map[string]string{"f": numbers}, want: map[string]string{"f": numbers[4:]}},
		{
			name: "all kinds", patch: "*** Update File: f\n@@\n-one\n+1\n\n*** Add File: new/deep/g\n+hello\n+\n+there\n\n*** Delete File: old\n*** Update File: from\n*** Move to: to/h\n@@\n-a\n+b",
			files: map[string]string{"f": numbers, "old": "x", "from": "a\n"},
			want:  map[string]string{"f": "1" + numbers[3:], "new/": "", "new/deep/": "", "new/deep/g": "hello\n\nthere\n", "to/": "", "to/h": "b\n"},
			says:  "updated f with 1 hunk\nadded new/deep/g\ndeleted old\nmoved from to to/h with 1 hunk",
		},
		{name: "move alone", patch: "*** Update File: f\n*** Move to: g", files: map[string]string{"f": "x"}, want: map[string]string{"g": "x"}, says: "moved f to g with 0 hunks"},
		{name: "empty new file", patch: "*** Add File: f", want: map[string]string{"f": ""}},
		{
			name: "anchor tells places apart", patch: "*** Update File: f\n@@ func b() {\n-\treturn 1\n+\treturn 2",
			files: map[string]string{"f": "func a() {\n\treturn 1\n}\nfunc b() {\n\treturn 1\n}\n"},
			want:  map[string]string{"f": "func a() {\n\treturn 1\n}\nfunc b() {\n\treturn 2\n}\n"},
		},
		{
			name: "anchor above the hunk before", patch: "*** Update File: f\n@@ func a()\n-\tx\n+\tX\n@@ func a()\n-\ty\n+\tY",
			files: map[string]string{"f": "func a() {\n\tx\n\tz\n\ty\n}\n"}, want: map[string]string{"f": "func a() {\n\tX\n\tz\n\tY\n}\n"},
		},
		{
			name: "two anchors", patch: "*** Update File: f\n@@ class B\n@@ def m\n+\tnew", files: map[string]string{"f": "class A\ndef m\nclass B\ndef m\nend\n"},
			want: map[string]string{"f": "class A\ndef m\nclass B\ndef m\n\tnew\nend\n"},
		},
		{name: "anchor repeated as context", patch: "*** Update File: f\n@@ two\n two\n-three", files: map[string]string{"f": numbers}, want: map[string]string{"f": strings.Replace(numbers, "three\n", "", 1)}},
		{name: "end of file", patch: "*** Update File: f\n@@\n-x\n+y\n*** End of File", files: map[string]string{"f": "x\nx\n"}, want: map[string]string{"f": "x\ny\n"}},
		{name: "addition at the end", patch: "*** Update File: f\n@@\n+seven\n*** End of File", files: map[string]string{"f": numbers}, want: map[string]string{"f": numbers + "seven\n"}},
		{name: "addition to an empty file", patch: "*** Update File: f\n@@\n+a", files: map[string]string{"f": ""}, want: map[string]string{"f": "a\n"}},
		{name: "removal of all", patch: "*** Update File: f\n@@\n-a\n-b", files: map[string]string{"f": "a\nb\n"}, want: map[string]string{"f": ""}},
		{name: "no newline at the end", patch: "*** Update File: f\n@@\n b\n+c\n\\ No newline at end of file", files: map[string]string{"f": "a\nb"}, want: map[string]string{"f": "a\nb\nc"}},
		{name: "Windows lines", patch: "*** Update File: f\n@@\n a\n-b\n+B\n+C", files: map[string]string{"f": "a\r\nb\r\nc\r\n"}, want: map[string]string{"f": "a\r\nB\r\nC\r\nc\r\n"}},
		{name: "Windows patch", patch: "*** Update File: f\r\n@@\r\n a\r\n-b\r\n+B", files: map[string]string{"f": "a\nb\n"}, want: map[string]string{"f": "a\nB\n"}},
		{name: "byte order mark", patch: "*** Update File: f\n@@\n-a\n+b", files: map[string]string{"f": "\uFEFFa\n"}, want: map[string]string{"f": "\uFEFFb\n"}},
		{name: "space at the end of lines, which context keeps", patch: "*** Update File: f\n@@\n a\n-b\n+B", files: map[string]string{"f": "a  \nb\t\n"}, want: map[string]string{"f": "a  \nB\n"}},
		{name: "blank context that lost its space", patch: "*** Update File: f\n@@\n a\n\n-b\n+B", files: map[string]string{"f": "a\n\nb\n"}, want: map[string]string{"f": "a\n\nB\n"}},
		{name: "a line that looks like a head", patch: "*** Add File: f\n+*** Delete File: x", want: map[string]string{"f": "*** Delete File: x\n"}},

		{name: "not found", patch: "*** Update File: f\n@@\n-one\n+1\n@@\n-nine\n+9", files: map[string]string{"f": numbers}, fails: `patching f: hunk 2 does not fit: its line "nine" is not in the file below line 1; read the file again`},
		{name: "a later line differs", patch: "*** Update File: f\n@@\n two\n three\n-vier\n+4", files: map[string]string{"f": numbers}, fails: `hunk 1 does not fit: its line "vier" does not match line 4 of the file, "four"`},
		{name: "beyond the end", patch: "*** Update File: f\n@@\n six\n-seven", files: map[string]string{"f": numbers}, fails: `its line "seven" does not match, the file ends with line 6`},
		{name: "wrong order", patch: "*** Update File: f\n@@\n-five\n+5\n@@\n-one\n+1", files: map[string]string{"f": numbers}, fails: "hunk 2 does not fit below line 5, but at line 1; put the hunks in the order of the file"},
		{name: "ambiguous", patch: "*** Update File: f\n@@\n-x\n+y", files: map[string]string{"f": "x\na\nx\n"}, fails: "hunk 1 fits at 2 places, lines 1, 3; add lines of context"},
		{name: "no such anchor", patch: "*** Update File: f\n@@ nine\n-one", files: map[string]string{"f": numbers}, fails: `the line after @@, "nine", is not in the file`},
		{name: "no place", patch: "*** Update File: f\n@@\n+x", files: map[string]string{"f": numbers}, fails: "hunk 1 does not say where its lines go"},
		{name: "add what exists", patch: "*** Add File: f\n+x", files: map[string]string{"f": "y"}, fails: `patching f: there is such a file already; use "*** Update File:"`},
		{name: "move onto what exists", patch: "*** Update File: f\n*** Move to: g", files: map[string]string{"f": "x", "g": "y"}, fails: "patching f: moving it to g: there is such a file already"},
		{name: "update what does not exist", patch: "*** Update File: f\n@@\n-x", fails: "patching f: "},
		{name: "delete what does not exist", patch: "*** Delete File: f", fails: "patching f: "},
		{name: "one file twice", patch: "*** Update File: f\n@@\n-one\n+1\n*** Delete File: ./f", files: map[string]string{"f": numbers}, fails: "patching ./f: the patch names the file twice"},
		{name: "binary", patch: "*** Update File: f\n@@\n-a\n+b", files: map[string]string{"f": "a\n\x00"}, fails: "it is not a text file"},
		{name: "all or nothing", patch: "*** Update File: f\n@@\n-one\n+1\n*** Add File: g\n+x\n*** Delete File: none", files: map[string]string{"f": numbers}, fails: "nothing was changed"},
		{name: "all problems", patch: "*** Update File: f\n@@\n-nine\n*** Delete File: none", files: map[string]string{"f": numbers}, fails: "patching none: "},
		{name: "a failure while writing", patch: "*** Update File: f\n@@\n-one\n+1\n*** Delete File: old\n*** Add File: d/g\n+x\n*** Add File: d/g/h\n+x", files: map[string]string{"f": numbers, "old": "x"}, fails: "nothing was changed"},

		{name: "not a patch", patch: "hello", fails: `line 2 of the patch: expected "*** Update File: PATH"`},
		{name: "no name", patch: "*** Delete File:  ", fails: "line 2 of the patch: \"*** Delete File:\" names no file"},
		{name: "no hunk", patch: "*** Update File: f", fails: "line 2 of the patch: f has no hunk"},
		{name: "a hunk without a change", patch: "*** Update File: f\n@@\n a", fails: "line 3 of the patch: hunk 1 of f changes nothing"},
		{name: "a line of no kind", patch: "*** Update File: f\n@@\n-a\nb", fails: `line 5 of the patch: a line of a hunk begins with a space, - or +, found "b"`},
		{name: "a new line of no kind", patch: "*** Add File: f\n+a\n\n+b", fails: "line 4 of the patch: every line of a new file begins with +"},
		{name: "nothing", patch: "", fails: "the patch names no file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				put(t, filepath.Join(dir, name), text)
			}
			got, err := find(t, dir, "Patch").Execute(t.Context(), tool.Call{Args: map[string]any{"patch": "*** Begin Patch\n" + tt.patch + "\n*** End Patch\n"}})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %q, %v", got, err)
				}
				tt.want = tt.files
			} else if err != nil || tt.says != "" && got != tt.says {
				t.Errorf("got %q, %v", got, err)
			}
			if after := tree(t, dir); !maps.Equal(after, tt.want) {
				t.Errorf("got %q\nwant %q", after, tt.want)
			}
		})
	}
}

func TestPatchFrame(t *testing.T) {
	t.Parallel()
	for patch, want := range map[string]string{
		"": "a patch begins with", "*** Begin Patch\n": `must be "*** End Patch"`, "x\n*** Begin Patch\n*** End Patch": "a patch begins with",
		"*** Begin Patch\n*** Add File: f\n+x": "it may have been cut off", "*** Begin Patch\n*** Delete File: f\n*** End Patch\nx": "line 4 of the patch: nothing may follow",
	} {
		if got, err := find(t, t.TempDir(), "Patch").Execute(t.Context(), tool.Call{Args: map[string]any{"patch": patch}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v", patch, got, err)
		}
	}
}

func TestPatchKeepsModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		testneed.Missing(t, testneed.Unix, "modes are those of Unix")
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		put(t, filepath.Join(dir, name), "x\n")
		if err := os.Chmod(filepath.Join(dir, name), 0o775); err != nil {
			t.Fatal(err)
		}
	}
	patch := "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Update File: b\n*** Move to: c\n*** End Patch"
	if _, err := find(t, dir, "Patch").Execute(t.Context(), tool.Call{Args: map[string]any{"patch": patch}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "c"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o775 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestCancelledPatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	dir := t.TempDir()
	if _, err := find(t, dir, "Patch").Execute(ctx, tool.Call{Args: map[string]any{"patch": "*** Begin Patch\n*** Add File: f\n*** End Patch"}}); !errors.Is(err, enough) {
		t.Error(err)
	}
	if got := tree(t, dir); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(names ...string) []string {
		var out []string
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
		return out
	}
	tests := []struct {
		tool string
		args map[string]any
		want sdk.ToolPaths
	}{
		{"Bash", map[string]any{"command": "cat f"}, sdk.ToolPaths{}},
		{"Read", map[string]any{"path": "f", "line_start": 3.0}, sdk.ToolPaths{Read: at("f"), Record: at("f")}},
		{"Write", map[string]any{"path": "./x/../f", "content": ""}, sdk.ToolPaths{Write: at("f"), Guard: at("f"), Record: at("f")}},
		{"Edit", map[string]any{"path": "f", "old": "a", "new": "b"}, sdk.ToolPaths{Read: at("f"), Write: at("f"), Guard: at("f"), Record: at("f")}},
		{"Mkdir", map[string]any{"path": filepath.Join(dir, "d")}, sdk.ToolPaths{Write: at("d")}},
		{"Ls", map[string]any{}, sdk.ToolPaths{Read: at("")}},
		{"Glob", map[string]any{"pattern": "*", "path": "d"}, sdk.ToolPaths{Read: at("d")}},
		{"Glob", map[string]any{"pattern": filepath.ToSlash(dir) + "/e/*", "path": "d"}, sdk.ToolPaths{Read: at("e")}},
		{"Rg", map[string]any{"pattern": "x", "path": "d"}, sdk.ToolPaths{Read: at("d")}},
		{
			"Patch",
			map[string]any{"patch": "*** Begin Patch\n*** Update File: u\n@@\n-x\n*** Add File: a\n*** Delete File: d\n*** Update File: m\n*** Move to: n\n*** End Patch"},
			sdk.ToolPaths{Read: at("u", "m"), Write: at("u", "a", "d", "m", "n"), Record: at("u", "a", "n"), Guard: at("u", "d", "m"), Clear: at("d", "m")},
		},
	}
	for _, tt := range tests {
		p, ok := tool.As[tool.Pather](find(t, dir, tt.tool))
		if !ok {
			t.Errorf("%s names no files", tt.tool)
			continue
		}
		if got, err := p.Paths(t.Context(), tt.args); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", tt.tool, got, err, tt.want)
		}
	}
	p, _ := tool.As[tool.Pather](find(t, dir, "Patch"))
	if got, err := p.Paths(t.Context(), map[string]any{"patch": "x"}); err == nil {
		t.Errorf("got %+v of what is no patch", got)
	}
}
