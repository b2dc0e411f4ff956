package setup

import (
	"testing"

	"github.com/idelchi/aura/internal/config"
)

// TestUnmatchedServers holds that the tools of a configured MCP server need not be there, and those of others must.
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
