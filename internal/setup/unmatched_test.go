package setup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation/event"
)

// TestUnmatchedServers checks that patterns for tools of a configured MCP server need not match, and that patterns for other
// servers must.
func TestUnmatchedServers(t *testing.T) {
	t.Parallel()
	s := Source{Config: &config.Config{MCPServers: map[string]config.MCPServer{"one": {}}}}
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
		Config: &config.Config{MCPServers: map[string]config.MCPServer{"one": {}}}, Disabled: &Told{},
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
