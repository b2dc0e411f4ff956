package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/ui/web"
)

const webHelp = `Serve pages about your sessions and plugins on this machine, in all projects: which
sessions run and what they wait for, their conversations and the timeline of their
turns, who changed what, and how the plugins do. The pages show what 'aura sessions',
'aura explain' and 'aura plugins top' show, and follow the running sessions. They
change nothing.

The command prints an address with a secret after the sign #. Only a browser that
opened this address gets an answer. The secret is valid until the command ends.

The server listens on 127.0.0.1 alone. --socket listens on a Unix socket instead, which
only you can open. To reach the pages from another machine, forward it there:
ssh -L 8080:/path/to/socket HOST, and open the printed address.`

// webOptions holds the flags of web.
type webOptions struct {
	port   int
	socket string
}

func newWeb(s streams, root *rootOptions) *cobra.Command {
	o := &webOptions{}
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Serve pages about sessions and plugins",
		Long:  webHelp,
		Example: `  aura web
  aura web --port 8080
  aura web --socket ~/aura-web/socket`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.socket != "" && cmd.Flags().Changed("port") {
				return usageError{errors.New("--port and --socket exclude each other")}
			}
			if o.port < 0 || o.port > 65535 {
				return usageError{fmt.Errorf("--port %d: ports are 0 to 65535", o.port)}
			}
			cfg, err := config.Locate(root.configOptions(s))
			if err != nil {
				return err
			}
			migrate.State(cfg, func(text string) { fmt.Fprintf(s.err, "! %s\n", clean(text)) })
			return o.run(cmd.Context(), s, cfg)
		},
	}
	cmd.Flags().IntVar(&o.port, "port", 0, "port to listen on (default any free port)")
	cmd.Flags().StringVar(&o.socket, "socket", "", "Unix socket to listen on instead of a port; its directory is created, or must be yours alone")
	return cmd
}

// tunnelPort is the port in the address that is printed for a socket. The user chooses the real one for the tunnel.
const tunnelPort = 8080

func (o *webOptions) run(ctx context.Context, s streams, cfg *config.Config) error {
	listener, err := o.listen(ctx)
	if err != nil {
		return err
	}
	token := web.NewToken()
	if o.socket != "" {
		fmt.Fprintf(s.out, "listening on %s; forward it with: ssh -L %d:%s HOST\n", clean(o.socket), tunnelPort, clean(o.socket))
		fmt.Fprintf(s.out, "http://127.0.0.1:%d/#%s\n", tunnelPort, token)
	} else {
		fmt.Fprintf(s.out, "http://%s/#%s\n", listener.Addr(), token)
	}
	fmt.Fprintln(s.err, "Whoever has this address sees your sessions. Ctrl-C ends the server.")
	dirs := setup.RuntimeDirs(cfg)
	return web.Serve(ctx, listener, web.Options{Token: token, Socket: o.socket != "", Source: web.Source{
		Journals: cfg.State.AllSessions,
		Reports:  func() []json.RawMessage { return host.Sessions(dirs...) },
		Statuses: func() []host.Status { return host.Statuses(dirs...) },
		Secrets:  setup.Secrets(cfg, nil),
	}})
}

// listen opens the listener.
func (o *webOptions) listen(ctx context.Context) (net.Listener, error) {
	if o.socket == "" {
		return web.ListenPort(ctx, o.port)
	}
	path, err := filepath.Abs(o.socket)
	if err != nil {
		return nil, err
	}
	return web.ListenSocket(ctx, path)
}
