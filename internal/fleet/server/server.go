// Package server runs the server of a fleet: NATS with JetStream in this process, durable on disk.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/idelchi/aura/internal/fleet/queue"
)

// Options describe a server.
type Options struct {
	// Listen is the address for clients, as HOST:PORT.
	Listen string
	// Dir keeps the data.
	Dir string
	// User and Token are what clients must show. They also protect the connections between servers.
	User  string
	Token string
	// Identity is the file with the key that the server makes for itself; empty means a file in Dir. Clients pin the key.
	Identity string
	// Cert and Key are PEM files that the server shows instead. With CA, clients must show a certificate that it signed.
	Cert string
	Key  string
	CA   string
	// Plaintext makes a server without TLS.
	Plaintext bool
	// Name is unique among the servers of a cluster.
	Name string
	// ClusterListen is the address for the other servers; empty for a single server. Routes are their addresses.
	ClusterListen string
	Routes        []string
	// Shape is how the queue is created, if there is none.
	queue.Shape
}

// readyTime is how long a server may take to accept connections.
const readyTime = 30 * time.Second

// clusterName is the same for all servers of a fleet.
const clusterName = "aura"

// Server is a running server.
type Server struct {
	ns  *server.Server
	o   Options
	pin string
}

// Start starts a server. The caller must stop it.
func Start(o Options) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory of the server: %w", err)
	}
	options, pin, err := o.nats()
	if err != nil {
		return nil, err
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	var words lastWords
	ns.SetLogger(&words, false, false)
	ns.Start()
	if !ns.ReadyForConnections(readyTime) {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, fmt.Errorf("starting the server on %s: %s", o.Listen, words.text())
	}
	return &Server{ns: ns, o: o, pin: pin}, nil
}

// Pin returns the pin of the server's key; empty without TLS.
func (s *Server) Pin() string { return s.pin }

// URL returns the address for clients.
func (s *Server) URL() string { return s.ns.ClientURL() }

// Stop ends the server. All acknowledged records are on disk.
func (s *Server) Stop() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}

// Done returns a channel that is closed when the server has ended.
func (s *Server) Done() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		s.ns.WaitForShutdown()
		close(done)
	}()
	return done
}

// Prepare creates the queue. In a cluster it waits for the other servers.
func (s *Server) Prepare(ctx context.Context) error {
	o := queue.Options{Server: s.ns, URL: "nats://localhost", User: s.o.User, Token: s.o.Token, Name: "aura fleet serve"}
	for {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		q, err := queue.Create(limited, o, s.o.Shape)
		cancel()
		if err == nil {
			q.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// nats returns the options of the NATS server, and the pin of its key.
func (o Options) nats() (out *server.Options, pin string, err error) {
	host, port, err := address(o.Listen)
	if err != nil {
		return nil, "", fmt.Errorf("--listen: %w", err)
	}
	out = &server.Options{
		ServerName: o.Name, Host: host, Port: port, StoreDir: o.Dir, JetStream: true, NoSigs: true,
		// An acknowledged record is on disk. By default NATS syncs every two minutes.
		SyncAlways: true,
		Username:   o.User, Password: o.Token, MaxPayload: 2 << 20, JetStreamMaxStore: 1 << 50,
		WriteDeadline: 10 * time.Second, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	}
	config, err := o.identity()
	if err != nil {
		return nil, "", err
	}
	if config != nil {
		if pin, err = pinOf(config); err != nil {
			return nil, "", err
		}
		out.TLSConfig, out.TLS, out.TLSVerify, out.TLSTimeout = config, true, o.CA != "", tlsSeconds
	}
	if o.ClusterListen == "" {
		return out, pin, nil
	}
	host, port, err = address(o.ClusterListen)
	if err != nil {
		return nil, "", fmt.Errorf("--cluster-listen: %w", err)
	}
	out.Cluster = server.ClusterOpts{Name: clusterName, Host: host, Port: port, Username: o.User, Password: o.Token, TLSTimeout: tlsSeconds}
	if config != nil {
		out.Cluster.TLSConfig = o.between(config, pin)
	}
	for _, route := range o.Routes {
		u := &url.URL{Scheme: "nats", Host: route, User: url.UserPassword(o.User, o.Token)}
		if _, _, err := address(route); err != nil {
			return nil, "", fmt.Errorf("--route: %w", err)
		}
		out.Routes = append(out.Routes, u)
	}
	return out, pin, nil
}

// tlsSeconds is how long a handshake may take.
const tlsSeconds = 5

func address(text string) (string, int, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", 0, fmt.Errorf("%q is no address: write HOST:PORT", text)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return "", 0, fmt.Errorf("%q: %q is no port", text, port)
	}
	if n == 0 {
		n = server.RANDOM_PORT
	}
	return host, n, nil
}
