package doctor

import (
	"context"
	"fmt"
	"maps"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
)

// servers connects to the MCP servers of type http. It starts no program, because a program may change something.
func (p patient) servers(ctx context.Context) []Check {
	const area = "MCP servers"
	if p.failed != nil {
		return nil
	}
	of, l := *p.listing.Config, p.listing
	of.MCPServers = maps.Clone(of.MCPServers)
	for name, s := range of.MCPServers {
		if s.Timeout = config.Timeout(p.Timeout); s.Type == config.MCPHTTP {
			of.MCPServers[name] = s
		} else {
			delete(of.MCPServers, name)
		}
	}
	l.Config = &of
	found, err := inspect.MCPServers(ctx, l, "")
	if err != nil {
		return []Check{{Area: area, Name: "servers", Status: Error, Detail: err.Error()}}
	}
	var out []Check
	for _, s := range found {
		if s.Type != mcp.TypeHTTP {
			continue
		}
		c := Check{Area: area, Name: s.Name, Status: Note, Detail: s.State}
		switch mcp.State(s.State) {
		case mcp.StateConnected:
			c.Status, c.Detail = OK, fmt.Sprintf("connected, tools: %d", len(s.Tools))
		case mcp.StateNeedsLogin:
			c.Status, c.Detail, c.Remedy = Warning, "it needs a login, so its tools are missing", s.Error
		case mcp.StateFailed:
			c.Status, c.Detail, c.Remedy = Error, s.Error, "'aura mcp show "+s.Name+"' tries again"
		default:
		}
		out = append(out, c)
	}
	return out
}
