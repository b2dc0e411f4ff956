package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/mcpauth"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// loginPatience is how long a login waits for the user by default.
const loginPatience = 5 * time.Minute

func newMCPLogin(s streams, root *rootOptions) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "login SERVER",
		Short: "Log in to an MCP server",
		Long: `Log in to an MCP server of type http that wants a login. aura prints an address. Open
it in a browser. If the browser runs on this machine, aura notices the answer.
Otherwise the browser ends at an address that it cannot load: paste that
whole address.

The tokens are kept in the state directory for the address of the server, and
refreshed without you. Without a terminal the command fails, unless --timeout says
how long to wait for the browser or for the address on standard input.`,
		Example: `  aura mcp login tickets
  aura mcp login tickets --timeout 1m`,
		Args: exactArgs("SERVER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, cfg, err := webServer(s, root, args[0])
			if err != nil {
				return err
			}
			if _, ok := keyboardOf(s); !ok && !cmd.Flags().Changed("timeout") {
				return fmt.Errorf("logging in to MCP server %q: there is no terminal; run this in one, or pass --timeout to wait for a browser", args[0])
			}
			return login(cmd.Context(), s, cfg, server, wait)
		},
		ValidArgsFunction: first(completeNames(s, root, serverNames)),
	}
	cmd.Flags().DurationVar(&wait, "timeout", loginPatience, "how long to wait for the login")
	return cmd
}

func newMCPLogout(s streams, root *rootOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "logout SERVER",
		Short: "Forget the login to an MCP server",
		Long: `Remove the tokens of an MCP server from this machine. The server is not asked: tokens
that are in use elsewhere stay valid.`,
		Example: `  aura mcp logout tickets`,
		Args:    exactArgs("SERVER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, cfg, err := webServer(s, root, args[0])
			if err != nil {
				return err
			}
			found, err := setup.Logins(cfg).Logout(cmd.Context(), server.URL)
			if err != nil {
				return fmt.Errorf("logging out of MCP server %q: %w", args[0], err)
			}
			if !found {
				return fmt.Errorf("logging out of MCP server %q: there is no login", args[0])
			}
			fmt.Fprintf(s.out, "logged out of %s\n", args[0])
			return nil
		},
		ValidArgsFunction: first(completeNames(s, root, serverNames)),
	}
}

// webServer returns a configured server of type http. The servers of an untrusted project are not among them.
func webServer(s streams, root *rootOptions, name string) (config.MCPServer, *config.Config, error) {
	l, err := root.list(s)
	if err != nil {
		return config.MCPServer{}, nil, err
	}
	server, ok := l.MCPServers[name]
	switch {
	case !ok:
		return server, nil, fmt.Errorf("looking for MCP server %q: it does not exist, or is that of a project that you do not trust; known servers: %s", name, setup.Names(l.MCPServers))
	case server.Type != config.MCPHTTP:
		return server, nil, fmt.Errorf("looking for the login of MCP server %q: it is a program; only servers with a url have a login", name)
	}
	return server, l.Config, nil
}

// login logs in, with what the user pastes or what the browser brings.
func login(ctx context.Context, s streams, cfg *config.Config, server config.MCPServer, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("nobody logged in within %s", wait))
	defer cancel()
	err := setup.Logins(cfg).Login(ctx, server.URL, setup.LoginSettings(server), mcpauth.User{
		Visit: func(address string) {
			fmt.Fprintf(s.err, "Open this address in a browser:\n\n%s\n\nIf the browser runs on another machine, paste the address at which it ends:\n", plaintext.Line(address))
		},
		Paste: func(_ context.Context, check func(string) error) (string, bool, error) {
			// Reading ends with the program at the latest: nothing else is read after the login.
			lines := bufio.NewScanner(s.in)
			for lines.Scan() {
				err := check(lines.Text())
				if err == nil {
					return lines.Text(), true, nil
				}
				fmt.Fprintln(s.err, plaintext.Line(err.Error()))
			}
			return "", false, nil
		},
	})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = because(ctx, err)
		}
		return fmt.Errorf("logging in to MCP server %q: %w", server.Name, err)
	}
	fmt.Fprintf(s.out, "logged in to %s\n", server.Name)
	return nil
}
