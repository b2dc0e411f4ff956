package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
)

const mcpHelp = `Connect to the MCP servers that are configured in config/mcp/ of a home and list
them with their tools. If a server cannot be reached, aura prints the reason. The
exit code is 1 only if none can be reached. aura connects to a deferred server only
if you name it.`

func newMCP(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "mcp [SERVER]",
		Short: "List the MCP servers and their tools",
		Long:  mcpHelp,
		Example: `  aura mcp
  aura mcp list --json
  aura mcp show files
  aura mcp import .mcp.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes [SERVER]", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return listServers(cmd, s, root, append(args, "")[0], asJSON)
		},
		ValidArgsFunction: first(completeNames(s, root, serverNames)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newMCPList(s, root), newMCPShow(s, root), newMCPImport(s, root), newMCPLogin(s, root), newMCPLogout(s, root))
	return cmd
}

func newMCPList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Connect to all MCP servers and list them with their tools",
		Long:  mcpHelp,
		Example: `  aura mcp list
  aura mcp list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listServers(cmd, s, root, "", asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func newMCPShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show SERVER",
		Short: "Connect to one MCP server, deferred or not, and list its tools",
		Example: `  aura mcp show files
  aura mcp show files --json`,
		Args:              exactArgs("SERVER"),
		RunE:              func(cmd *cobra.Command, args []string) error { return listServers(cmd, s, root, args[0], asJSON) },
		ValidArgsFunction: first(completeNames(s, root, serverNames)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list with one object")
	return cmd
}

func serverNames(c *config.Config) []cobra.Completion {
	return described(c.MCPServers, func(m config.MCPServer) string { return m.Command + m.URL })
}

// listServers connects to one server, or to all if the name is empty.
func listServers(cmd *cobra.Command, s streams, root *rootOptions, name string, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	servers, err := inspect.MCPServers(cmd.Context(), l, name)
	if err != nil {
		return because(cmd.Context(), err)
	}
	return showServers(s, servers, asJSON)
}

func showServers(s streams, list []inspect.MCPServer, asJSON bool) error {
	failed := 0
	rows := [][]string{{"NAME", "TYPE", "SANDBOX", "STATE", "TOOLS"}}
	for _, server := range list {
		state := server.State
		if server.Error != "" {
			failed++
			state += ": " + oneLine(server.Error, resultLimit)
		}
		if len(server.Agents) > 0 {
			state += ", for agent " + strings.Join(server.Agents, ", ")
		}
		rows = append(rows, []string{server.Name, server.Type, dash(server.Sandbox), state, dash(strings.Join(server.Tools, ", "))})
	}
	switch {
	case asJSON:
		if err := writeJSON(s.out, append([]inspect.MCPServer{}, list...)); err != nil {
			return err
		}
	case len(list) == 0:
		fmt.Fprintln(s.out, "no MCP servers are configured; put one into .aura/config/mcp/, or import those of another program with 'aura mcp import FILE'")
	default:
		table(s.out, rows)
	}
	if failed > 0 && failed == len(list) {
		return errors.New("listing MCP servers: none of them can be reached")
	}
	return nil
}
