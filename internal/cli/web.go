package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/browser"
	"github.com/idelchi/aura/internal/ui/web"
)

const webHelp = `Serve pages about your sessions and plugins on this machine, in all projects: which
sessions run and what they wait for, their conversations and the timeline of their
turns, who changed what, and how the plugins do. The pages show what 'aura sessions',
'aura explain' and 'aura plugins top' show, and follow the running sessions. They
change nothing without --control.

The command prints an address with a secret after the sign #. Only a browser that
opened this address gets an answer. The secret is valid until the command ends.

The server listens on 127.0.0.1 alone. --socket listens on a Unix socket instead, which
only you can open. To reach the pages from another machine, forward it there:
ssh -L 8080:/path/to/socket HOST, and open the printed address.

--control lets the pages restart and quarantine plugins, cancel turns and answer the
questions of sessions. Each request is asked for again in this terminal: the key y does
it, every other key refuses.

The pages of a fleet show what 'aura fleet status' shows. --server and the flags after it
name the server and the token as in 'aura fleet'. The server is asked only while such a
page is open.

--open opens the address in the default browser. The browser gets it by a file that
only you can read and that is removed when the page is there, because all users of a
machine can read command lines. If no browser can be started, the command says so, and
the printed address is still valid.`

// webOptions holds the flags of web.
type webOptions struct {
	port   int
	socket string
	open   bool
	// control lets pages ask for changes.
	control bool
	// fleet is how the pages reach the queue of a fleet.
	fleet fleetOptions
}

func newWeb(s streams, root *rootOptions) *cobra.Command {
	o := &webOptions{}
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Serve pages about sessions and plugins",
		Long:  webHelp,
		Example: `  aura web
  aura web --open
  aura web --port 8080
  aura web --socket ~/aura-web/socket
  aura web --server nats://queue.example:4222 --token-file ~/fleet-token`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.socket != "" && cmd.Flags().Changed("port") {
				return usageError{errors.New("--port and --socket exclude each other")}
			}
			if o.socket != "" && o.open {
				return usageError{errors.New("--open and --socket exclude each other: only you know the port of your tunnel")}
			}
			if _, ok := keyboardOf(s); o.control && !ok {
				return usageError{errors.New("--control needs a terminal for input and error output: each request of a page is asked for there")}
			}
			if o.port < 0 || o.port > 65535 {
				return usageError{fmt.Errorf("--port %d: ports are 0 to 65535", o.port)}
			}
			// A token that cannot be read is what the page of the fleet reports.
			_, err := o.fleet.options(s)
			if _, wrong := errors.AsType[usageError](err); wrong {
				return err
			}
			cfg, err := config.Locate(root.configOptions(s))
			if err != nil {
				return err
			}
			migrate.State(cfg, func(text string) { fmt.Fprintf(s.err, "! %s\n", clean(text)) })
			return o.run(cmd.Context(), s, root, cfg)
		},
	}
	o.fleet.register(cmd)
	cmd.Flags().BoolVar(&o.control, "control", false, "let pages restart and quarantine plugins, cancel turns and answer questions; each request is asked for in this terminal")
	cmd.Flags().BoolVar(&o.open, "open", false, "open the address in the default browser")
	cmd.Flags().IntVar(&o.port, "port", 0, "port to listen on (default any free port)")
	cmd.Flags().StringVar(&o.socket, "socket", "", "Unix socket to listen on instead of a port; its directory is created, or must be yours alone")
	return cmd
}

// tunnelPort is the port in the address that is printed for a socket. The user chooses the real one for the tunnel.
const tunnelPort = 8080

func (o *webOptions) run(ctx context.Context, s streams, root *rootOptions, cfg *config.Config) error {
	listener, err := o.listen(ctx)
	if err != nil {
		return err
	}
	var control *web.Control
	if o.control {
		control = webControl(s, setup.RuntimeDirs(cfg))
	}
	token := web.NewToken()
	if o.socket != "" {
		fmt.Fprintf(s.out, "listening on %s; forward it with: ssh -L %d:%s HOST\n", clean(o.socket), tunnelPort, clean(o.socket))
		fmt.Fprintf(s.out, "http://127.0.0.1:%d/#%s\n", tunnelPort, token)
	} else {
		fmt.Fprintf(s.out, "http://%s/#%s\n", listener.Addr(), token)
	}
	fmt.Fprintln(s.err, "Whoever has this address sees your sessions. Ctrl-C ends the server.")
	opened := func() {}
	if o.open {
		opened = openPages(ctx, s, cfg, fmt.Sprintf("http://%s/#%s", listener.Addr(), token))
		defer opened()
	}
	dirs := setup.RuntimeDirs(cfg)
	return web.Serve(ctx, listener, web.Options{Token: token, Socket: o.socket != "", Opened: opened, Control: control, Source: web.Source{
		Journals: cfg.State.AllSessions,
		Reports:  func() map[string]json.RawMessage { return host.SessionReports(dirs...) },
		Report:   host.SessionReport,
		Statuses: func(before []host.Status) ([]host.Status, int) { return host.StatusesSince(before, dirs...) },
		Fleet:    func(ctx context.Context) (web.Fleet, error) { return o.fleet.open(ctx, s) },
		Describe: func(p host.Status) (*web.Described, error) { return describePlugin(s, root, p) },
		Secrets:  setup.Secrets(cfg, nil),
	}})
}

// openPages opens an address in the default browser, and reports what to do if that fails. The returned function removes what was needed for
// it; it may be called more than once.
func openPages(ctx context.Context, s streams, cfg *config.Config, address string) (done func()) {
	failed := func(err error) {
		fmt.Fprintf(s.err, "! no browser was opened: %s; open the address yourself\n", clean(err.Error()))
	}
	path, remove, err := web.LeadFile(setup.RuntimeDir(cfg), address)
	if err != nil {
		failed(err)
		return func() {}
	}
	done = sync.OnceFunc(func() {
		if err := remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(s.err, "! %s has the secret of this address, and cannot be removed: %s\n", clean(path), clean(err.Error()))
		}
	})
	dir, environ, err := setup.Unconfined(cfg, s.environ)
	if err != nil {
		failed(err)
		return done
	}
	go func() {
		if err := browser.Open(ctx, browser.Options{System: runtime.GOOS, Environ: environ, Dir: dir}, path); err != nil {
			failed(err)
			done()
		}
	}()
	return done
}

// describePlugin returns what plugins show prints about a plugin in the project of its session, without what needs a process. Notices about
// the configuration are those of the project's own commands.
func describePlugin(s streams, root *rootOptions, p host.Status) (*web.Described, error) {
	o := root.configOptions(s)
	o.Workdir = p.Project
	quiet := &gate.Gate{Trust: root.trust, Safe: root.safe, Tell: func(string) {}}
	l, err := quiet.List(o)
	if err != nil {
		return nil, err
	}
	found, ok, err := inspect.PluginIn(l, p.Name, p.Dir, root.unsafePlugins)
	if err != nil || !ok {
		return nil, err
	}
	return &web.Described{Plugin: found, Secrets: setup.Secrets(l.Config, nil)}, nil
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
