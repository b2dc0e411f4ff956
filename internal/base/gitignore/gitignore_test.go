package gitignore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lines     []string
		name      string
		directory bool
		want      bool
	}{
		{[]string{"*.log"}, "/r/a.log", false, true},
		{[]string{"*.log"}, "/r/x/y/a.log", false, true},
		{[]string{"*.log"}, "/r/a.logs", false, false},
		{[]string{"*.log"}, "/other/a.log", false, false},
		{[]string{"/a"}, "/r/a", false, true},
		{[]string{"/a"}, "/r/x/a", false, false},
		{[]string{"x/a"}, "/r/x/a", false, true},
		{[]string{"x/a"}, "/r/y/x/a", false, false},
		{[]string{"**/x/a"}, "/r/y/x/a", false, true},
		{[]string{"**/x/a"}, "/r/x/y/x/a", false, true},
		{[]string{"x/**/a"}, "/r/x/a", false, true},
		{[]string{"x/**/a"}, "/r/x/y/z/a", false, true},
		{[]string{"x/**"}, "/r/x/y", false, true},
		{[]string{"x/**"}, "/r/x", true, false},
		{[]string{"x/**", "!x/y"}, "/r/x/y", false, false},
		{[]string{"a/"}, "/r/a", true, true},
		{[]string{"a/"}, "/r/a", false, false},
		{[]string{"a/"}, "/r/x/a", true, true},
		{[]string{"*", "!a"}, "/r/a", false, false},
		{[]string{"!a", "*"}, "/r/a", false, true},
		{[]string{"# a", "", "  "}, "/r/a", false, false},
		{[]string{`\#a`}, "/r/#a", false, true},
		{[]string{`\!a`}, "/r/!a", false, true},
		{[]string{"a  "}, "/r/a", false, true},
		{[]string{`a\ `}, "/r/a ", false, true},
		{[]string{"a\r\n"}, "/r/a", false, true},
		{[]string{"{a,b}"}, "/r/a", false, false},
		{[]string{"{a,b}"}, "/r/{a,b}", false, true},
		{[]string{"[ab]"}, "/r/b", false, true},
		{[]string{"[!ab]"}, "/r/b", false, false},
		{[]string{"[a", "b"}, "/r/b", false, true},
		{[]string{"x/*"}, "/r/x/y/z", false, false},
		{[]string{"/", "!", "!/"}, "/r/a", false, false},
	}
	for _, tt := range tests {
		var all Rules
		for _, line := range tt.lines {
			if one, ok := parseRule(line); ok {
				one.base = "/r"
				all = append(all, one)
			}
		}
		if got := all.Ignored(tt.name, tt.directory); got != tt.want {
			t.Errorf("%q ignores %s: %v", tt.lines, tt.name, got)
		}
	}
}

// FuzzRule checks that no line causes a panic.
func FuzzRule(f *testing.F) {
	for _, line := range []string{"", "#x", "!a/", "/a/**/b", `\`, "[", "{", "**", "a/**"} {
		f.Add(line, "a/b")
	}
	f.Fuzz(func(t *testing.T, line, name string) {
		one, ok := parseRule(line)
		if ok && one.pattern == "" {
			t.Error("a rule for nothing")
		}
		one.base = "/r"
		Rules{one}.Ignored("/r/"+name, true)
	})
}

func TestAbove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/info/exclude": "excluded\n", ".gitignore": "*.log\nhidden/\n", "sub/.gitignore": "!keep.log\n",
		"sub/deep/file": "", "hidden/file": "",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		dir, name string
		want      bool
	}{
		{".", "a.log", true},
		{".", "a.txt", false},
		{".", "excluded", true},
		{"sub", "a.log", true},
		{"sub", "keep.log", false},
		{"sub/deep", "keep.log", false},
		{"sub/deep", "excluded", true},
		{"hidden", "a.log", false}, // the caller named the directory
	}
	for _, tt := range tests {
		at := filepath.Join(dir, tt.dir)
		if got := Above(at).With(at).Ignored(filepath.ToSlash(filepath.Join(at, tt.name)), false); got != tt.want {
			t.Errorf("%s in %s is ignored: %t", tt.name, tt.dir, got)
		}
	}
}

func TestTooManyRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	for at, rule := range map[string]string{dir: "a\n", sub: "b\n"} {
		if err := errors.Join(os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(at, ".gitignore"), []byte(strings.Repeat(rule, 6000)), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	rules := Rules(nil).With(dir).With(sub)
	if len(rules) != maxRules {
		t.Errorf("%d rules", len(rules))
	}
	if rules = rules.With(sub); len(rules) != maxRules {
		t.Errorf("%d rules after more", len(rules))
	}
}
