package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestUnmatchedServers checks that patterns for tools of a configured MCP server need not match, and that patterns for other
// servers must.
func TestUnmatchedServers(t *testing.T) {
	t.Parallel()
	s := Source{Config: &config.Config{Entities: config.Entities{MCPServers: map[string]config.MCPServer{"one": {}}}}}
	for pattern, want := range map[string]bool{
		"mcp__one__greet": true, "mcp__one__*": true, "mcp__*": true, "*": true, "mcp__two__*": false, "mcp__two__greet": false, "Bash": false, "mcp__": false,
	} {
		if got := s.mayBeServed(pattern); got != want {
			t.Errorf("%s: got %t, want %t", pattern, got, want)
		}
	}
}

// TestDisabled checks that a plugin's pattern that matches no tool is reported once, and that the number of remembered patterns
// is limited.
func TestDisabled(t *testing.T) {
	t.Parallel()
	var got []string
	s := Source{
		Config: &config.Config{Entities: config.Entities{MCPServers: map[string]config.MCPServer{"one": {}}}}, Told: &Told{},
		Emit: func(e event.Event) { got = append(got, e.(event.Notice).Text) },
	}
	told := s.disabled([]string{"Bash", "Read", "ReadAll"})
	for _, pattern := range []string{"Bash", "*", "Re*", "mcp__one__*", "bash", "Reed", "bash", "", "mcp__two__x"} {
		told("p", pattern)
	}
	told("q", "bash")
	want := []string{
		`plugin "p" disables "bash", which matches no tool; did you mean "Bash"?`,
		`plugin "p" disables "Reed", which matches no tool; did you mean "Read"?`,
		`plugin "p" disables "", which matches no tool`,
		`plugin "p" disables "mcp__two__x", which matches no tool`,
		`plugin "q" disables "bash", which matches no tool; did you mean "Bash"?`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = nil
	for i := range 2 * maxTold {
		told("p", fmt.Sprint("x", i, strings.Repeat("y", 1<<20)))
	}
	if len(got)+len(want) != maxTold || len(got[0]) > 2*maxPattern {
		t.Errorf("%d notices, the first of %d bytes", len(got), len(got[0]))
	}
	if (Source{Config: s.Config}).disabled(nil) != nil {
		t.Error("somebody is told without a session")
	}
}

// TestHiddenTools checks that filters and overrides that leave nobody with a tool are reported.
func TestHiddenTools(t *testing.T) {
	t.Parallel()
	builtIn := tool.Definition{Name: "Read", Source: tool.SourceBuiltin}
	override := tool.Definition{Name: "Read", Source: tool.SourcePlugin, Origin: "a", Override: true}
	other, hidden := override, override
	other.Origin, hidden.OptIn = "b", true
	optIn := tool.Definition{Name: "Notify", Source: tool.SourcePlugin, Origin: "c", OptIn: true}
	for name, row := range map[string]struct {
		tools   []tool.Definition
		include []string
		want    string
	}{
		"nothing to say":           {[]tool.Definition{builtIn, override, optIn}, nil, ""},
		"opt-in tools by pattern":  {[]tool.Definition{builtIn, optIn}, []string{"Not*"}, `--include-tools enables "Not*", which matches only opt-in tools (Notify)`},
		"opt-in tools by name":     {[]tool.Definition{builtIn, optIn}, []string{"Notify"}, ""},
		"a pattern for others too": {[]tool.Definition{builtIn, optIn}, []string{"*"}, ""},
		"an opt-in override":       {[]tool.Definition{builtIn, hidden}, nil, `plugin "a" overrides the tool Read and is opt-in, so no agent has Read`},
		"a named opt-in override":  {[]tool.Definition{builtIn, hidden}, []string{"Read"}, ""},
		"two overrides":            {[]tool.Definition{builtIn, override, other}, nil, `plugin "a" and plugin "b" both override the tool Read; that of plugin "b" is used`},
	} {
		var tools []tool.Tool
		for _, d := range row.tools {
			tools = append(tools, defined{d})
		}
		s := Source{Config: &config.Config{}, Options: Options{IncludeTools: row.include}}
		if got := strings.Join(s.hiddenTools(Role{}, config.Features{}, tools), "\n"); !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// defined is a tool that does nothing.
type defined struct{ definition tool.Definition }

func (d defined) Definition() tool.Definition { return d.definition }

func (defined) Execute(context.Context, tool.Call) (string, error) { return "", nil }
