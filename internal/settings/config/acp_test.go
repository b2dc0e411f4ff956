package config_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestACPRefused checks where the settings for editors can be set.
func TestACPRefused(t *testing.T) {
	t.Parallel()
	const only = "only the user's home decides what an editor may do"
	checkRefused(t, map[string]refused{
		"in a project":         {files{project + "features/acp.yaml": "acp: {client_mcp: true}\n"}, []string{"acp.yaml:1", only}},
		"off in a project":     {files{project + "features/acp.yaml": "acp: {client_mcp: false}\n"}, []string{"acp.yaml:1", only}},
		"in an agent":          {files{project + "agents/x.md": "---\nname: x\nfeatures:\n  acp: {client_files: true}\n---\n"}, []string{"x.md:4", only}},
		"in the user's agents": {files{user + "agents/x.md": "---\nname: x\nfeatures:\n  acp: {client_files: true}\n---\n"}, []string{"x.md:4", only}},
	})
}

// TestClientServers has a row for each rule about the MCP servers that an editor passes.
func TestClientServers(t *testing.T) {
	t.Parallel()
	const allowed = "acp: {client_mcp: true}\n"
	for name, row := range map[string]struct {
		features string
		server   config.MCPServer
		// refused is a part of the notice; empty if the server is used.
		refused string
	}{
		"a program":     {allowed, config.MCPServer{Name: "its", Command: "serve", Env: map[string]string{"A": "${B}"}}, ""},
		"a URL":         {allowed, config.MCPServer{Name: "its", URL: "https://host/mcp"}, ""},
		"not allowed":   {"acp: {client_files: true}\n", config.MCPServer{Name: "its", Command: "serve"}, "set acp.client_mcp: true"},
		"a name":        {allowed, config.MCPServer{Name: "i ts", Command: "serve"}, "its name"},
		"a double name": {allowed, config.MCPServer{Name: "i__ts", Command: "serve"}, "its name"},
		"configured":    {allowed, config.MCPServer{Name: "ours", Command: "serve"}, "exists already"},
		"nothing":       {allowed, config.MCPServer{Name: "its"}, "neither a command nor a URL"},
		"no address":    {allowed, config.MCPServer{Name: "its", URL: "file:///etc"}, "not an address"},
		"a variable":    {allowed, config.MCPServer{Name: "its", Command: "serve", Env: map[string]string{"A=B": ""}}, "not a name of a variable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := files{user + "features/acp.yaml": row.features, user + "mcp/ours.yaml": "ours: {command: own}\n"}.options(t)
			o.ClientServers = []config.MCPServer{row.server}
			c, err := config.Load(o)
			if err != nil {
				t.Fatal(err)
			}
			got, used := c.MCPServers["its"]
			said := strings.Join(c.Notices, "\n")
			if used != (row.refused == "") || !strings.Contains(said, row.refused) || used && said != "" || c.MCPServers["ours"].Command != "own" {
				t.Errorf("used %v, notices %q, servers %v", used, said, c.MCPServers)
			}
			if used && (got.Env["A"] != row.server.Env["A"] || got.Type == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
}
