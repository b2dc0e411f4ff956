package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func TestRg(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\nfunc Needle() {}\n", "sub/b.go": "needle\r\nend\r\n", "sub/c.txt": "x needle y", "sub/deep/d.go": "needle",
		".hidden/e": "needle\n", "binary": "needle\x00", ".git/config": "needle\n", "latin": "caf\xe9 needle\n", "marked": "\uFEFFneedle\n",
		"long":       strings.Repeat("x", 2000) + "needle" + strings.Repeat("y", 2000) + "\n",
		".gitignore": "# needle\n*.log\n!keep.log\n/build/\nsub/ign*\n\\#odd\n{a,b}.go\n", "x.log": "needle", "keep.log": "needle",
		"build/f": "needle", "sub/build/f": "needle", "sub/ignored": "needle", "#odd": "needle",
		"nest/.gitignore": "local\n!x.log\n", "nest/local": "needle", "nest/x.log": "needle", "nest/y.log": "needle",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	testneed.Link(t, ".", filepath.Join(dir, "circle"))
	long := "long:1:..." + strings.Repeat("x", 125) + "needle" + strings.Repeat("y", 369) + "..."
	tests := []struct {
		name        string
		args        map[string]any
		want, fails string
	}{
		{name: "all", args: map[string]any{"pattern": "^needle$"}, want: ".hidden/e:1:needle\nkeep.log:1:needle\nmarked:1:needle\nnest/x.log:1:needle\nsub/b.go:1:needle\nsub/build/f:1:needle\nsub/deep/d.go:1:needle"},
		{name: "within lines", args: map[string]any{"pattern": "needle .", "path": "sub"}, want: "sub/c.txt:1:x needle y"},
		{name: "case", args: map[string]any{"pattern": "(?i)NEEDLE", "glob": "*.go"}, want: "a.go:2:func Needle() {}\nsub/b.go:1:needle\nsub/deep/d.go:1:needle"},
		{name: "glob of a path", args: map[string]any{"pattern": "needle", "glob": "sub/*.{go,txt}"}, want: "sub/b.go:1:needle\nsub/c.txt:1:x needle y"},
		{name: "glob of any depth", args: map[string]any{"pattern": "needle", "glob": "**/deep/*"}, want: "sub/deep/d.go:1:needle"},
		{name: "glob turned round", args: map[string]any{"pattern": "needle", "path": "sub", "glob": "!*.go"}, want: "sub/build/f:1:needle\nsub/c.txt:1:x needle y"},
		{name: "one file", args: map[string]any{"pattern": "end", "path": "sub/b.go"}, want: "sub/b.go:2:end"},
		{name: "an ignored file that is named", args: map[string]any{"pattern": "needle", "path": "x.log"}, want: "x.log:1:needle"},
		{name: "an ignored directory that is named", args: map[string]any{"pattern": "needle", "path": "build"}, want: "build/f:1:needle"},
		{name: "rules from above", args: map[string]any{"pattern": "needle", "path": "nest"}, want: "nest/x.log:1:needle"},
		{name: "a directory by its absolute path", args: map[string]any{"pattern": "needle", "path": filepath.Join(dir, "nest")}, want: filepath.ToSlash(dir) + "/nest/x.log:1:needle"},
		{name: "through a link that is named", args: map[string]any{"pattern": "end", "path": "circle/sub"}, want: "circle/sub/b.go:2:end"},
		{name: "a long line", args: map[string]any{"pattern": "needle", "glob": "long"}, want: long},
		{name: "invalid UTF-8", args: map[string]any{"pattern": "needle", "glob": "latin"}, want: "latin:1:caf\uFFFD needle"},
		{name: "no match", args: map[string]any{"pattern": "nothing like this"}, want: "(no match)"},
		{name: "a binary file", args: map[string]any{"pattern": "x", "path": "binary"}, fails: "searching binary: it is not a text file"},
		{name: "a malformed pattern", args: map[string]any{"pattern": "a(?=b)"}, fails: "the syntax is RE2, without look-around"},
		{name: "a malformed glob", args: map[string]any{"pattern": "a", "glob": "[a"}, fails: `glob "[a" is malformed`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := find(t, dir, "Rg").Execute(t.Context(), tool.Call{Args: tt.args})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestRgIsBounded(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"lines": "x\n", "bytes": strings.Repeat("x", 400) + "\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "f"), strings.Repeat(line, 1003))
			got, err := find(t, dir, "Rg").Execute(t.Context(), tool.Call{Args: map[string]any{"pattern": "x"}})
			shown := strings.Count(got, "\n")
			if want := fmt.Sprintf("\n[... and %d more; ", 1003-shown); err != nil || !strings.Contains(got, want) || shown > 1000 || len(got) > 70<<10 {
				t.Errorf("%d lines, %d bytes, %v, ... %q", shown, len(got), err, got[max(0, len(got)-100):])
			}
		})
	}
}

func TestCancelledRg(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), strings.Repeat("x\n", 5000))
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	for _, path := range []string{"", "f"} {
		if got, err := find(t, dir, "Rg").Execute(ctx, tool.Call{Args: map[string]any{"pattern": "x", "path": path}}); !errors.Is(err, enough) {
			t.Errorf("got %.40q, %v", got, err)
		}
	}
}
