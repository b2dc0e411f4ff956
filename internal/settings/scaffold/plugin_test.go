package scaffold_test

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/settings/scaffold"
)

func TestPluginNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		python bool
		want   string
	}{
		{"hello", false, ""},
		{"word-count2", false, ""},
		{"word_count", true, ""},
		{"word-count", true, "cannot be the name of a Python package"},
		{"Hello", false, "cannot be the name of a Go module"},
		{"2fast", false, "cannot be the name of a Go module"},
		{"a--b", false, "cannot be the name of a Go module"},
		{"-a", false, "cannot be the name of a Go module"},
		{"func", false, "means something else to Go"},
		{"time", false, "means something else to Go"},
		{"time", true, ""},
		{"main", false, "means something else to Go"},
		{"sdk", false, "means something else to Go"},
		{"../x", false, "a name is not a path"},
		{"", false, "is empty"},
	} {
		err := scaffold.Plugin{Name: tt.name, Python: tt.python}.Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestEveryHook makes a plugin for each hook point: its source must parse, and describe the fields of the context.
func TestEveryHook(t *testing.T) {
	t.Parallel()
	for _, p := range hookpoint.All() {
		dir, err := scaffold.Plugin{Name: "my-hook", Hooks: []hookpoint.Point{p}}.Create("", t.TempDir(), nil)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		source, err := os.ReadFile(filepath.Join(dir, "main.go"))
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), "main.go", source, parser.SkipObjectResolution)
		}
		if err != nil {
			t.Fatal(err)
		}
		for f := range p.Context.Fields() {
			if !f.Anonymous && !strings.Contains(string(source), "//\t"+f.Name+" ") {
				t.Errorf("%s: the source does not describe %s:\n%s", p.Name, f.Name, source)
			}
		}
		if !strings.Contains(string(source), "package my_hook\n") || !strings.Contains(string(source), "\n// "+string(p.Name)+" ") {
			t.Errorf("%s: got\n%s", p.Name, source)
		}
	}
}

// TestNothingIsOverwritten checks that a plugin is made completely or not at all.
func TestNothingIsOverwritten(t *testing.T) {
	t.Parallel()
	p := scaffold.Plugin{Name: "hello", Tool: true}
	for name, make := range map[string]func(path string) error{
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"file":      func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"link":      func(path string) error { return os.Symlink("nowhere", path) },
	} {
		parent := t.TempDir()
		if err := make(filepath.Join(parent, "hello")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Create("", parent, nil); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	parent := filepath.Join(t.TempDir(), "new", "plugins")
	broken := errors.New("no space")
	if _, err := p.Create("", parent, func(string, string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
