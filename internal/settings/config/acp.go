package config

import (
	"fmt"
	"maps"
	"strings"
)

// Acp holds what an editor may do in a session that it opens with aura acp. Only the user's home sets it, because both go around the
// sandbox.
type Acp struct {
	// ClientMCP lets aura start the MCP servers that the editor passes.
	ClientMCP bool `yaml:"client_mcp"`
	// ClientFiles lets aura use the editor's methods for files, for buffers that are not saved.
	ClientFiles bool `yaml:"client_files"`
}

// onlyUserACP is why a file outside the user's home cannot set what editors may do.
const onlyUserACP = "only the user's home decides what an editor may do: set it in its features/acp.yaml"

// checkACP refuses the settings outside the user's home.
func (l *loader) checkACP(d declaration) error {
	if value(d.node(), acpKey) != nil && !sameFile(d.Home.Dir, l.user) {
		return d.wrong([]string{acpKey}, onlyUserACP)
	}
	return nil
}

// clientFile stands for the file of a server that an editor passes. Approvals are bound to it.
const clientFile = "(passed by the editor)"

// addClientServers adds the servers that an editor passes. Those that are left out are reported as notices. A server of the
// configuration is not replaced.
func (c *Config) addClientServers(list []MCPServer) {
	if len(list) == 0 {
		return
	}
	c.MCPServers = maps.Clone(c.MCPServers)
	if c.MCPServers == nil {
		c.MCPServers = map[string]MCPServer{}
	}
	for _, s := range list {
		if why := c.unwanted(s); why != "" {
			c.Notices = append(c.Notices, fmt.Sprintf("MCP server %q of the editor was left out: %s", s.Name, why))
			continue
		}
		s.Type, s.Source = MCPStdio, Source{File: clientFile}
		if s.URL != "" {
			s.Type = MCPHTTP
		}
		c.MCPServers[s.Name] = s
	}
}

// unwanted returns why a server that an editor passes is left out; empty if it is not.
func (c *Config) unwanted(s MCPServer) string {
	_, configured := c.MCPServers[s.Name]
	switch {
	case !c.Features.Acp.ClientMCP:
		return "set acp.client_mcp: true in config/features/acp.yaml of your home to start such servers"
	case !serverName().MatchString(s.Name) || strings.Contains(s.Name, "__"):
		return "its name is part of its tools' names: use letters, digits, - and single _"
	case configured:
		return "a server of this name exists already"
	case s.Command == "" && s.URL == "":
		return "it has neither a command nor a URL"
	case s.URL != "" && !isWebAddress(s.URL):
		return "its URL is not an address such as https://host/mcp"
	}
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Sprintf("%q is not a name of a variable", name)
		}
	}
	return ""
}
