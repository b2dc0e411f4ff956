package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
	"github.com/idelchi/aura/internal/settings/config"
)

const serveHelp = `Run a server of the queue. It keeps everything on disk: a record that was acknowledged
survives a power failure.

Clients need the user and the token: AURA_FLEET_USER (default aura) and
AURA_FLEET_TOKEN, or --token-file. Without a token, aura makes one and keeps it in a
file that only you can read; commands on this machine find it there.

The server speaks TLS, so that clients know whom they send the token to. It makes a
key, keeps it in a file that only you can read, and prints its pin. Your commands on
this machine find the pin; others need --pin or AURA_FLEET_PIN. With --tls-cert the
server shows your certificate instead; with --tls-ca it also demands certificates of
its clients. --insecure-plaintext turns TLS off.

Three servers form a cluster that survives the loss of one: start each with its own
--name, --cluster-listen, and a --route to each of the others. They need the same
token and the same key: copy the files of the first.`

type serveOptions struct {
	server.Options

	tokenFile string
}

func newFleetServe(s streams, _ *fleetOptions) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a server of the queue",
		Long:  serveHelp,
		Example: `  aura fleet serve
  aura fleet serve --listen 0.0.0.0:4222
  aura fleet serve --listen 0.0.0.0:4222 --tls-cert server.pem --tls-key server-key.pem
  aura fleet serve --name a --cluster-listen :6222 --route b:6222 --route c:6222`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "address for clients; port 0 chooses one")
	f.StringVar(&o.Dir, "dir", "", "directory for the data (default fleet/data in aura's state directory)")
	f.StringVar(&o.tokenFile, "token-file", "", "file with the token (default AURA_FLEET_TOKEN, or a file that aura makes)")
	f.StringVar(&o.Cert, "tls-cert", "", "PEM file with the certificate of the server")
	f.StringVar(&o.Key, "tls-key", "", "PEM file with the key of --tls-cert")
	f.StringVar(&o.CA, "tls-ca", "", "PEM file with the authority whose certificates clients must have")
	f.BoolVar(&o.Plaintext, "insecure-plaintext", false, "speak no TLS: whoever listens, or takes the port, gets the token of the clients")
	f.StringVar(&o.Name, "name", "", "name of this server in a cluster")
	f.StringVar(&o.ClusterListen, "cluster-listen", "", "address for the other servers of a cluster")
	f.StringArrayVar(&o.Routes, "route", nil, "address of another server of the cluster (repeatable)")
	f.IntVar(&o.Replicas, "replicas", 0, "servers that keep each record (default 3 with two routes, otherwise 1)")
	f.DurationVar(&o.Takeover, "takeover", queue.Takeover, "time without a sign of life of a worker after which others get its tasks, for a queue that does not exist yet")
	return cmd
}

// minTakeover is the shortest time after which a worker counts as dead. A busy machine delays its heartbeats.
const minTakeover = time.Second

func (o *serveOptions) check() error {
	_, _, err := net.SplitHostPort(o.Listen)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("--listen %s: write HOST:PORT", o.Listen)}
	case (o.Cert == "") != (o.Key == ""):
		return usageError{errors.New("--tls-cert and --tls-key go together")}
	case o.CA != "" && o.Cert == "":
		return usageError{errors.New("--tls-ca needs --tls-cert")}
	case o.Plaintext && o.Cert != "":
		return usageError{errors.New("--insecure-plaintext and --tls-cert contradict each other")}
	case o.ClusterListen != "" && o.Name == "":
		return usageError{errors.New("--cluster-listen needs --name, which must be different for each server")}
	case o.ClusterListen == "" && len(o.Routes) > 0:
		return usageError{errors.New("--route needs --cluster-listen")}
	case o.Takeover < minTakeover:
		return usageError{fmt.Errorf("--takeover %s: write at least %s", o.Takeover, minTakeover)}
	case strings.ContainsAny(o.Name, " \t\n.*>"):
		return usageError{fmt.Errorf("--name %q: write letters, digits, - and _", o.Name)}
	}
	if o.Replicas == 0 {
		if o.Replicas = 1; len(o.Routes) >= 2 {
			o.Replicas = 3
		}
	}
	return nil
}

func (o *serveOptions) run(ctx context.Context, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	base := fleetDir(s)
	if o.Dir == "" {
		if base == "" {
			return errors.New("there is no directory for the data: set HOME or XDG_STATE_HOME, or use --dir")
		}
		o.Dir = filepath.Join(base, "data")
	}
	if base != "" {
		o.Identity = filepath.Join(base, "server.pem")
	}
	for _, path := range []*string{&o.Dir, &o.Cert, &o.Key, &o.CA} {
		if *path == "" {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	if err := o.credentials(s); err != nil {
		return err
	}
	if o.Plaintext {
		fmt.Fprintf(s.err, "! the token and all tasks are sent to %s unencrypted, and clients cannot tell this server from another\n", clean(o.Listen))
	}
	s.interrupts.patient(serverGrace)
	return o.serve(ctx, s)
}

// serve runs the server until ctx ends.
func (o *serveOptions) serve(ctx context.Context, s streams) error {
	running, err := server.Start(o.Options)
	if err != nil {
		return err
	}
	defer running.Stop()
	if err := announcePin(s, running.Pin()); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "listening on %s\n", clean(running.URL()))
	if err := running.Prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // the server was ended before its cluster was complete
		}
		return err
	}
	fmt.Fprintln(s.out, "ready")
	select {
	case <-ctx.Done():
		return nil
	case <-running.Done():
		return errors.New("the server ended")
	}
}

// announcePin prints the pin of the server, and stores it for commands of the same user on this machine.
func announcePin(s streams, pin string) error {
	if pin == "" {
		return nil
	}
	fmt.Fprintf(s.err, "pin %s\n", pin)
	if fleetDir(s) == "" {
		return nil
	}
	if err := os.MkdirAll(fleetDir(s), 0o700); err != nil {
		return fmt.Errorf("storing the pin of the server: %w", err)
	}
	return queue.SavePin(fleetPin(s), pin)
}

// serverGrace is how long the server may take to end.
const serverGrace = 10 * time.Second

// credentials finds the user and the token, or makes a token.
func (o *serveOptions) credentials(s streams) error {
	o.User = fleetUser
	if user, ok := config.Lookup(s.environ, "AURA_FLEET_USER"); ok && user != "" {
		o.User = user
	}
	if token, ok := config.Lookup(s.environ, "AURA_FLEET_TOKEN"); ok && token != "" && o.tokenFile == "" {
		o.Token = token
		return nil
	}
	path := o.tokenFile
	if path == "" {
		path = fleetToken(s)
	}
	data, err := files.ReadNoFollow(path, maxToken)
	if errors.Is(err, os.ErrNotExist) && o.tokenFile == "" {
		var random [24]byte
		_, _ = rand.Read(random[:]) // it never fails
		data = []byte(hex.EncodeToString(random[:]) + "\n")
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = files.Create(path, data, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("reading the token: %w", err)
	}
	if o.Token = strings.TrimSpace(string(data)); o.Token == "" {
		return fmt.Errorf("reading the token: %s is empty", path)
	}
	fmt.Fprintf(s.err, "user %s, token in %s\n", clean(o.User), clean(path))
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
