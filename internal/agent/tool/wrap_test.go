package tool_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// pathed is a tool that names its files and implements an interface that the package does not know.
type pathed struct{ fake }

func (pathed) Paths(context.Context, map[string]any) (sdk.ToolPaths, error) {
	return sdk.ToolPaths{Read: []string{"f"}}, nil
}

func (pathed) Sandboxable() bool { return false }

func TestRedefine(t *testing.T) {
	t.Parallel()
	base := tool.Definition{Name: "Read", Description: "d", Usage: "u", Examples: "e", Parallel: true, Source: tool.SourcePlugin, Origin: "p"}
	text, yes, no := "new", true, false
	tests := []struct {
		name string
		r    tool.Redefinition
		want func(*tool.Definition)
	}{
		{"nothing", tool.Redefinition{}, func(*tool.Definition) {}},
		{"description", tool.Redefinition{Description: &text}, func(d *tool.Definition) { d.Description = text }},
		{"usage", tool.Redefinition{Usage: &text}, func(d *tool.Definition) { d.Usage = text }},
		{"examples", tool.Redefinition{Examples: &text}, func(d *tool.Definition) { d.Examples = text }},
		{"parallel", tool.Redefinition{Parallel: &no}, func(d *tool.Definition) { d.Parallel = false }},
		{"override", tool.Redefinition{Override: &yes}, func(d *tool.Definition) { d.Override = true }},
	}
	for _, tt := range tests {
		want := base
		tt.want(&want)
		got := tool.Redefine(pathed{fake{base}}, tt.r)
		if !reflect.DeepEqual(got.Definition(), want) {
			t.Errorf("%s: got %+v", tt.name, got.Definition())
		}
		if out, err := got.Execute(t.Context(), tool.Call{}); err != nil || out != "p" {
			t.Errorf("%s: got %q, %v", tt.name, out, err)
		}
		p, ok := got.(tool.Pather)
		if !ok {
			t.Fatalf("%s: the files are lost", tt.name)
		}
		if paths, err := p.Paths(t.Context(), nil); err != nil || len(paths.Read) != 1 {
			t.Errorf("%s: got %+v, %v", tt.name, paths, err)
		}
		if s, ok := tool.As[interface{ Sandboxable() bool }](got); !ok || s.Sandboxable() {
			t.Errorf("%s: an interface is lost", tt.name)
		}
	}
	if _, ok := tool.Redefine(fake{base}, tool.Redefinition{Usage: &text}).(tool.Pather); ok {
		t.Error("a tool without files became one with")
	}
	if _, ok := tool.As[tool.Pather](tool.Redefine(fake{base}, tool.Redefinition{Usage: &text})); ok {
		t.Error("a tool without files became one with")
	}
}

func TestRegisterRedefined(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	with := func(x tool.Tool, override *bool) tool.Tool {
		return tool.Redefine(x, tool.Redefinition{Override: override})
	}
	tests := []struct {
		name   string
		tools  []tool.Tool
		winner string
		fails  bool
	}{
		{name: "a plugin that may", tools: []tool.Tool{builtIn("Read"), with(plugin("a", "Read", false), &yes)}, winner: "a"},
		{name: "a plugin that no longer may", tools: []tool.Tool{builtIn("Read"), with(plugin("a", "Read", true), &no)}, fails: true},
		{name: "all of that name may", tools: []tool.Tool{with(builtIn("Read"), &yes), with(plugin("a", "Read", false), &yes)}, winner: "a"},
	}
	for _, tt := range tests {
		r, err := tool.NewRegistry(tt.tools...)
		if tt.fails {
			if err == nil {
				t.Errorf("%s: no conflict", tt.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got, _ := r.Lookup("Read"); got.Definition().Origin != tt.winner {
			t.Errorf("%s: %q won", tt.name, got.Definition().Origin)
		}
	}
}
