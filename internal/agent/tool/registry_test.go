package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

// fake is a tool that returns its origin.
type fake struct{ d tool.Definition }

func (f fake) Definition() tool.Definition { return f.d }

func (f fake) Execute(context.Context, tool.Call) (string, error) { return f.d.Origin, nil }

func builtIn(name string) tool.Tool {
	return fake{tool.Definition{Name: name, Source: tool.SourceBuiltin}}
}

func plugin(origin, name string, override bool) tool.Tool {
	return fake{tool.Definition{Name: name, Source: tool.SourcePlugin, Origin: origin, Override: override}}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		tools []tool.Tool
		// winner is the origin of the registered tool Read. conflict holds the two sides of the error.
		winner   string
		conflict []string
	}{
		{name: "one", tools: []tool.Tool{builtIn("Read")}},
		{name: "plugin against built-in", tools: []tool.Tool{builtIn("Read"), plugin("a", "Read", false)}, conflict: []string{"aura itself", `plugin "a"`}},
		{name: "override of a built-in", tools: []tool.Tool{builtIn("Read"), plugin("a", "Read", true)}, winner: "a"},
		{name: "two plugins", tools: []tool.Tool{plugin("a", "Read", false), plugin("b", "Read", false)}, conflict: []string{`plugin "a"`, `plugin "b"`}},
		{name: "the second plugin overrides", tools: []tool.Tool{plugin("a", "Read", false), plugin("b", "Read", true)}, winner: "b"},
		{name: "the first plugin overrides", tools: []tool.Tool{plugin("a", "Read", true), plugin("b", "Read", false)}, winner: "a"},
		{name: "both override", tools: []tool.Tool{plugin("a", "Read", true), plugin("b", "Read", true)}, winner: "b"},
		{
			name:     "an override that is used up",
			tools:    []tool.Tool{builtIn("Read"), plugin("a", "Read", true), plugin("b", "Read", false)},
			conflict: []string{`plugin "a"`, `plugin "b"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := tool.NewRegistry(tt.tools...)
			if tt.conflict != nil {
				var conflict *tool.ConflictError
				if !errors.As(err, &conflict) || conflict.First != tt.conflict[0] || conflict.Second != tt.conflict[1] {
					t.Fatalf("got %v", err)
				}
				for _, want := range append(tt.conflict, "override: true", `"Read"`) {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not say %q", err, want)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, ok := r.Lookup("Read")
			if !ok || got.Definition().Origin != tt.winner || len(r.List()) != 1 {
				t.Errorf("got %+v, %v", got, ok)
			}
		})
	}
}

// TestRegisterConditional checks that the names of conditional built-in tools are reserved in every session.
func TestRegisterConditional(t *testing.T) {
	t.Parallel()
	for _, name := range tool.Conditional() {
		var conflict *tool.ConflictError
		if _, err := tool.NewRegistry(plugin("a", name, false)); !errors.As(err, &conflict) || conflict.First != "aura itself" {
			t.Errorf("%s: got %v", name, err)
		}
		for _, fits := range []tool.Tool{builtIn(name), plugin("a", name, true), plugin("a", name+"s", false)} {
			if _, err := tool.NewRegistry(fits); err != nil {
				t.Errorf("%s: got %v", fits.Definition().Name, err)
			}
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	for _, d := range []tool.Definition{
		{Name: ""},
		{Name: "two words"},
		{Name: strings.Repeat("x", 65)},
		{Name: "Bad", Parameters: json.RawMessage(`{"type":"strng"}`)},
	} {
		if err := new(tool.Registry).Register(fake{d}); err == nil {
			t.Errorf("%+v was registered", d)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	hidden := fake{tool.Definition{Name: "Hidden", OptIn: true}}
	r, err := tool.NewRegistry(builtIn("Write"), hidden, builtIn("Bash"))
	if err != nil {
		t.Fatal(err)
	}
	var all, offered []string
	for _, x := range r.List() {
		all = append(all, x.Definition().Name)
	}
	for _, d := range r.Offered() {
		offered = append(offered, d.Name)
	}
	if strings.Join(all, " ") != "Bash Hidden Write" || strings.Join(offered, " ") != "Bash Write" {
		t.Errorf("got %q, offered %q", all, offered)
	}
	if err := r.Validate("Bash", nil); err != nil {
		t.Error(err)
	}
	if err := r.Validate("Bash", map[string]any{"x": 1}); err == nil {
		t.Error("a tool without a schema took arguments")
	}
	if err := r.Validate("Nope", nil); err == nil {
		t.Error("an unknown tool was validated")
	}
}

func TestNilRegistry(t *testing.T) {
	t.Parallel()
	var r *tool.Registry
	if _, ok := r.Lookup("x"); ok || len(r.List()) != 0 || len(r.Offered()) != 0 || r.Validate("x", nil) == nil {
		t.Error("a nil registry holds something")
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"Bash", "Bash", true},
		{"Bash", "bash", false},
		{"Bash", "Bash2", false},
		{"*", "", true},
		{"*", "anything", true},
		{"mcp__*", "mcp__git__log", true},
		{"mcp__*", "Bash", false},
		{"*__log", "mcp__git__log", true},
		{"mcp__*__log", "mcp__git__log", true},
		{"mcp__*__log", "mcp__log", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"aa*aa", "aaa", false},
		{"[a]", "a", false},
		{"", "a", false},
	}
	for _, tt := range tests {
		if got := tool.Match([]string{"other", tt.pattern}, tt.name); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
	if tool.Match(nil, "a") {
		t.Error("no pattern matched")
	}
}
