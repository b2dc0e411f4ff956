package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// serverName is the header in which a server of namedServer names itself.
const serverName = "Server-Name"

func init() {
	networkDeeds["websocket"] = askWebsocket
	networkDeeds["HTTP/2"] = askHTTP2
}

// namedServer starts a server that names itself in each answer, in HTTP/1.1 and in HTTP/2 without TLS.
func namedServer(t *testing.T, name string) net.Addr {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(serverName, name) }))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr()
}

// askWebsocket connects to an address and asks for a websocket of an authority, both of which are in the text. Any other server than "other"
// is an error.
func askWebsocket(ctx context.Context, text string) (string, error) {
	at, authority, _ := strings.Cut(text, " ")
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", authority)
	if err != nil {
		return "", err
	}
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "", err
	}
	return onlyOther(r)
}

// askHTTP2 does what askWebsocket does, with a request of HTTP/2.
func askHTTP2(ctx context.Context, text string) (string, error) {
	at, authority, _ := strings.Cut(text, " ")
	transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", at)
	}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+authority, nil)
	if err != nil {
		return "", err
	}
	r, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	if r.ProtoMajor != 2 {
		err = errors.New("the answer is not of HTTP/2")
	}
	name, other := onlyOther(r)
	return name, errors.Join(err, other)
}

func onlyOther(r *http.Response) (string, error) {
	name := r.Header.Get(serverName)
	if name != "other" {
		return "", errors.Join(fmt.Errorf("the answer is of the server %q", name), r.Body.Close())
	}
	return name, r.Body.Close()
}

// TestNetworkAuthority asks an allowed host for another authority. The answer is that of the allowed host: what a request names decides
// nothing. The control is a connection to the other server.
func TestNetworkAuthority(t *testing.T) {
	t.Parallel()
	c, _ := netScene(t)
	allowed, other := namedServer(t, "allowed"), namedServer(t, "other")
	at := fmt.Sprintf("p%d.example:80", allowed.(*net.TCPAddr).Port)
	for _, kind := range []string{"websocket", "HTTP/2"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := c
			c.Call.Args, _ = json.Marshal(deed{kind, at + " " + other.String()})
			if r, err := sandbox.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), `the answer is of the server "allowed"`) {
				t.Errorf("got %s, %v", r.Value, err)
			}
			if got, err := (deed{kind, other.String() + " " + other.String()}).do(t.Context()); err != nil {
				t.Errorf("the control failed: %q, %v", got, err)
			}
		})
	}
}

// ownNetwork is set in the processes of tests that have a network of their own, in which every address of IPv4 leads to this machine.
const ownNetwork = "AURA_TEST_NETWORK"

func init() {
	if os.Getenv(ownNetwork) == "" {
		return
	}
	if err := sandbox.RouteToSelf(); err != nil {
		panic(err)
	}
}

// hasOwnNetwork reports whether this process has such a network, also if the variable was removed.
func hasOwnNetwork() bool {
	l, err := net.Listen("tcp", metadataAddress+":0")
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

// runInOwnNetwork runs a test of this program again, in a network of its own.
func runInOwnNetwork(t *testing.T, name string) {
	t.Helper()
	if os.Geteuid() != 0 {
		testneed.Missing(t, testneed.Root, "a namespace whose network a program can change needs it")
	}
	if !canIsolate() {
		testneed.Missing(t, testneed.Namespaces, "the network of the test needs one")
	}
	inside := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+name+"$") //nolint:gosec // it is this program
	inside.Env = append(os.Environ(), ownNetwork+"=1")
	inside.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	if out, err := inside.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+name+" (") {
		t.Errorf("%v\n%s", err, out)
	}
}

// metadataAddress is where clouds serve the credentials of a machine.
const metadataAddress = "169.254.169.254"

// TestNetworkMetadata serves the address of the metadata in a network namespace. A process under rules does not reach it, one with the whole
// network does.
func TestNetworkMetadata(t *testing.T) {
	t.Parallel()
	if os.Getenv(ownNetwork) == "" {
		runInOwnNetwork(t, t.Name())
		return
	}
	l, err := net.Listen("tcp", metadataAddress+":80")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go serveEach(l, func(conn net.Conn) { _, _ = io.WriteString(conn, "credentials") })
	c, _ := netScene(t)
	c.Call.Args, _ = json.Marshal(deed{"read", l.Addr().String()})
	if r, err := sandbox.Run(t.Context(), c); err == nil || len(r.Refused) != 1 {
		t.Errorf("confined: got %s, %v, refused %v", r.Value, err, r.Refused)
	}
	c.Policy = freePolicy(t, c)
	if r, err := sandbox.Run(t.Context(), c); err != nil || string(r.Value) != `"credentials"` {
		t.Errorf("the control failed: %s, %v", r.Value, err)
	}
}

// serveEach serves connections until the listener is closed.
func serveEach(l net.Listener, serve func(net.Conn)) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			serve(conn)
		}()
	}
}

// TestNetworkInternet runs TestNetworkClients in a network with a name server and hosts at public addresses. The gate is the one that users have.
func TestNetworkInternet(t *testing.T) {
	t.Parallel()
	testneed.Long(t)
	runInOwnNetwork(t, "TestNetworkClients")
}

// publicAddress is where the hosts of serveInternet are.
const publicAddress = "93.184.216.34"

// serveInternet serves the zones example and test at every name server, and leads two ports of their hosts to ports of this machine.
func serveInternet(t *testing.T, ports map[uint16]uint16) {
	t.Helper()
	names, err := net.ListenPacket("udp", "0.0.0.0:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = names.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := names.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, err := zoneAnswer(buffer[:n]); err == nil {
				_, _ = names.WriteTo(reply, from)
			}
		}
	}()
	for public, local := range ports {
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", publicAddress, public))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go serveEach(l, func(conn net.Conn) {
			to, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", local))
			if err != nil {
				return
			}
			defer func() { _ = to.Close() }()
			go func() {
				_, _ = io.Copy(to, conn)
				_ = to.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(conn, to)
		})
	}
}

// zoneAnswer answers a question about a name of the zones with the public address, and any other one with an error.
func zoneAnswer(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		return nil, errors.Join(err, errors.New("it is no question"))
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	switch name := q.Name.String(); {
	case !strings.HasSuffix(name, ".example.") && !strings.HasSuffix(name, ".test."):
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: netip.MustParseAddr(publicAddress).As4()},
		}}
	}
	return m.Pack()
}
