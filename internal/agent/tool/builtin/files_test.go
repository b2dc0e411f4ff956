package builtin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// find returns a built-in tool with dir as its working directory.
func find(t *testing.T, dir, name string) tool.Tool {
	t.Helper()
	return one(t, builtin.Options{Workdir: dir, Env: []string{"PATH=/usr/bin:/bin", "GREETING=hello"}}, name)
}

// one returns a built-in tool with the given options.
func one(t *testing.T, o builtin.Options, name string) tool.Tool {
	t.Helper()
	registry, err := tool.NewRegistry(builtin.All(o)...)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return found
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	parallel := map[string]bool{
		"Bash": false, "Edit": false, "Glob": true, "Ls": true, "Mkdir": false, "Patch": false, "Read": true, "Rg": true, "WebFetch": true, "Write": false,
	}
	all := builtin.All(builtin.Options{})
	if len(all) != len(parallel) {
		t.Errorf("got %d tools", len(all))
	}
	for _, x := range all {
		d := x.Definition()
		if want, ok := parallel[d.Name]; !ok || want != d.Parallel || d.Source != tool.SourceBuiltin || d.Description == "" {
			t.Errorf("got %+v", d)
		}
		schema, err := tool.Compile(d.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(map[string]any{"nonsense": 1}); err == nil {
			t.Errorf("%s takes unknown arguments", d.Name)
		}
		if _, ok := tool.As[tool.Pather](x); !ok {
			t.Errorf("%s does not name its files", d.Name)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "one\ntwo\nthree")
	put(t, filepath.Join(dir, "sub", "b.go"), "package b\n")
	put(t, filepath.Join(dir, "sub", "deep", "c.go"), "package c\n")
	put(t, filepath.Join(dir, "empty"), "")
	put(t, filepath.Join(dir, "sub", "deep", "marked"), "\uFEFFtext")
	put(t, filepath.Join(dir, "bytes"), "a\x00b")
	put(t, filepath.Join(dir, "latin"), "caf\xe9")
	put(t, filepath.Join(dir, "big"), strings.Repeat("x", 300<<10)+"\nend\n")
	if err := os.Mkdir(filepath.Join(dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		tool string
		args map[string]any
		// want is the whole result. part is a part of the result. fails is a part of the error.
		want, part, fails string
	}{
		{name: "whole file", tool: "Read", args: map[string]any{"path": "a.txt"}, want: "one\ntwo\nthree"},
		{name: "byte order mark", tool: "Read", args: map[string]any{"path": "sub/deep/marked"}, want: "text"},
		{name: "absolute path", tool: "Read", args: map[string]any{"path": filepath.Join(dir, "a.txt")}, want: "one\ntwo\nthree"},
		{name: "from a line", tool: "Read", args: map[string]any{"path": "a.txt", "line_start": 2.0}, want: "two\nthree"},
		{name: "to a line", tool: "Read", args: map[string]any{"path": "a.txt", "line_end": 2.0}, want: "one\ntwo\n"},
		{name: "one line", tool: "Read", args: map[string]any{"path": "a.txt", "line_start": 3, "line_end": 3}, want: "three"},
		{name: "end beyond the end", tool: "Read", args: map[string]any{"path": "a.txt", "line_start": 3, "line_end": 9}, want: "three"},
		{name: "start beyond the end", tool: "Read", args: map[string]any{"path": "a.txt", "line_start": 4}, fails: "the last one is 3"},
		{name: "end before start", tool: "Read", args: map[string]any{"path": "a.txt", "line_start": 2, "line_end": 1}, fails: "before line_start"},
		{name: "empty file", tool: "Read", args: map[string]any{"path": "empty"}, want: ""},
		{name: "empty file by line", tool: "Read", args: map[string]any{"path": "empty", "line_start": 1}, want: ""},
		{name: "binary file", tool: "Read", args: map[string]any{"path": "bytes"}, fails: "not a text file"},
		{name: "invalid UTF-8", tool: "Read", args: map[string]any{"path": "latin"}, want: "caf\uFFFD"},
		{name: "too much", tool: "Read", args: map[string]any{"path": "big"}, part: "[... cut in line 1 after 262144 bytes;"},
		{name: "past a long line", tool: "Read", args: map[string]any{"path": "big", "line_start": 2}, want: "end\n"},
		{name: "no such file", tool: "Read", args: map[string]any{"path": "nope"}, fails: "reading nope"},
		{name: "directory", tool: "Read", args: map[string]any{"path": "sub"}, fails: "it is a directory"},
		{name: "wrong type", tool: "Read", args: map[string]any{"path": 1}, fails: "reading the arguments of Read"},

		{name: "directory", tool: "Ls", args: map[string]any{"path": "sub"}, want: "b.go\ndeep/"},
		{name: "working directory", tool: "Ls", part: "a.txt\n"},
		{name: "empty directory", tool: "Ls", args: map[string]any{"path": "none"}, want: "(nothing)"},
		{name: "no such directory", tool: "Ls", args: map[string]any{"path": "nope"}, fails: "listing nope"},

		{name: "everywhere", tool: "Glob", args: map[string]any{"pattern": "**/*.go"}, want: "sub/b.go\nsub/deep/c.go"},
		{name: "below a path", tool: "Glob", args: map[string]any{"pattern": "*", "path": "sub"}, want: "sub/b.go\nsub/deep/"},
		{name: "alternatives", tool: "Glob", args: map[string]any{"pattern": "{a.txt,empty}"}, want: "a.txt\nempty"},
		{name: "no match", tool: "Glob", args: map[string]any{"pattern": "*.rs"}, want: "(nothing)"},
		{name: "malformed", tool: "Glob", args: map[string]any{"pattern": "[a"}, fails: "syntax error in pattern"},
		{name: "upward", tool: "Glob", args: map[string]any{"pattern": "../*"}, fails: "give the directory as path"},
		{name: "no such path", tool: "Glob", args: map[string]any{"pattern": "*", "path": "nope"}, fails: "nope"},
		{name: "absolute pattern", tool: "Glob", args: map[string]any{"pattern": filepath.ToSlash(dir) + "/**/c.go"}, want: filepath.ToSlash(dir) + "/sub/deep/c.go"},

		{name: "onto a directory", tool: "Write", args: map[string]any{"path": "sub", "content": ""}, fails: "it is a directory"},
		{name: "below a file", tool: "Write", args: map[string]any{"path": "a.txt/x", "content": ""}, fails: "writing a.txt/x"},
		{name: "below a file", tool: "Mkdir", args: map[string]any{"path": "a.txt/x"}, fails: "making directory a.txt/x"},
	}
	for _, tt := range tests {
		t.Run(tt.tool+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := find(t, dir, tt.tool).Execute(t.Context(), tool.Call{Args: tt.args})
			switch {
			case tt.fails != "":
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %q, %v", got, err)
				}
			case err != nil:
				t.Error(err)
			case tt.part != "":
				if !strings.Contains(got, tt.part) {
					t.Errorf("got %.200q, want a part %q", got, tt.part)
				}
			case got != tt.want:
				t.Errorf("got %.200q, want %q", got, tt.want)
			}
		})
	}
}

func TestWriteAndMkdir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, content := range []string{"long first content", "short"} {
		got, err := find(t, dir, "Write").Execute(t.Context(), tool.Call{Args: map[string]any{"path": "new/file", "content": content}})
		if err != nil || !strings.Contains(got, "new/file") {
			t.Fatalf("got %q, %v", got, err)
		}
		if on, err := os.ReadFile(filepath.Join(dir, "new", "file")); err != nil || string(on) != content {
			t.Errorf("file holds %q, %v", on, err)
		}
	}
	if _, err := find(t, dir, "Mkdir").Execute(t.Context(), tool.Call{Args: map[string]any{"path": "x/y"}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "x", "y")); err != nil || !info.IsDir() {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestLongListing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 1003 {
		put(t, filepath.Join(dir, strings.Repeat("x", i%50)+string(rune('a'+i%26))+strings.Repeat("y", i/50)), "")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= 1000 {
		t.Fatalf("%d names, %v", len(entries), err)
	}
	got, err := find(t, dir, "Ls").Execute(t.Context(), tool.Call{})
	if err != nil || !strings.HasSuffix(got, "more ...]") || strings.Count(got, "\n") != 1000 {
		t.Errorf("got %d lines, %v", strings.Count(got, "\n"), err)
	}
}

func TestCancelledFileTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a", "b"), "text")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	for name, args := range map[string]map[string]any{"Read": {"path": "a/b"}, "Glob": {"pattern": "**"}} {
		if _, err := find(t, dir, name).Execute(ctx, tool.Call{Args: args}); !errors.Is(err, enough) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
