package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// notations are the ways to write 127.0.0.1 that programs understand.
var notations = []string{
	"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.01", "017700000001", "::ffff:127.0.0.1", "::ffff:7f00:1", "localhost", "0.0.0.0",
}

func init() {
	deeds := networkDeeds
	deeds["packet"] = sendPacket
	deeds["dns over UDP"] = func(ctx context.Context, at string) (string, error) { return tunnel(ctx, "udp", at) }
	deeds["dns over TCP"] = func(ctx context.Context, at string) (string, error) { return tunnel(ctx, "tcp", at) }
	deeds["unix"] = func(ctx context.Context, at string) (string, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", at)
		if err != nil {
			return "", err
		}
		return "through", conn.Close()
	}
}

// sendPacket sends a packet and waits for the answer.
func sendPacket(ctx context.Context, at string) (string, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", at)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	_, err = conn.Write([]byte("stolen"))
	buffer := make([]byte, 64)
	if err != nil {
		return "", err
	}
	n, err := conn.Read(buffer)
	return string(buffer[:n]), err
}

// tunnel asks a resolver for records whose names carry data. The resolver of the control answers with "through".
func tunnel(ctx context.Context, proto, at string) (string, error) {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, proto, at)
	}}
	texts, err := r.LookupTXT(ctx, "c3RvbGVu.tunnel.test.")
	return strings.Join(texts, " "), err
}

// bothListeners listens for packets and for connections at the same address. Something else may have the port for connections that is free for packets.
func bothListeners(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 100 {
		udp, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		tcp, err := net.Listen("tcp", udp.LocalAddr().String())
		if err == nil {
			t.Cleanup(func() { _, _ = udp.Close(), tcp.Close() })
			return udp, tcp
		}
		_ = udp.Close()
		if !errors.Is(err, unix.EADDRINUSE) {
			t.Fatal(err)
		}
	}
	t.Fatal("no port is free for both")
	return nil, nil
}

// packetServer answers packets, and questions of DNS on both protocols, on one port of this machine.
func packetServer(t *testing.T) string {
	t.Helper()
	udp, tcp := bothListeners(t)
	go func() {
		buffer := make([]byte, 1024)
		for {
			n, from, err := udp.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = udp.WriteTo(textAnswer(buffer[:n]), from)
		}
	}()
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 1024)
			if n, err := conn.Read(buffer); err == nil && n > 2 {
				reply := textAnswer(buffer[2:n])
				_, _ = conn.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...))
			}
			_ = conn.Close()
		}
	}()
	return udp.LocalAddr().String()
}

// textAnswer answers a question of DNS with the text "through". Other packets come back.
func textAnswer(q []byte) []byte {
	if len(q) < 12 || !bytes.Contains(q, []byte("tunnel")) {
		return q
	}
	end := 12 + bytes.IndexByte(q[12:], 0) + 5
	reply := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0}, q[12:end]...)
	return append(reply, 0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 8, 7, 't', 'h', 'r', 'o', 'u', 'g', 'h')
}

// TestNetworkAttacks tries ways past the rules. Each of them succeeds if the network is on.
func TestNetworkAttacks(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	packets := packetServer(t)
	socket := filepath.Join(t.TempDir(), "proxy")
	abstract := "@aura-" + filepath.Base(filepath.Dir(c.Dir))
	for _, at := range []string{socket, abstract} {
		l, err := net.Listen("unix", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	if err := os.Chmod(socket, 0o777); err != nil { //nolint:gosec // it is there to be reached
		t.Fatal(err)
	}
	attacks := map[string]deed{
		"a packet":                      {"packet", packets},
		"a DNS tunnel":                  {"dns over UDP", packets},
		"a DNS tunnel over TCP":         {"dns over TCP", packets},
		"the socket of a proxy":         {"unix", socket},
		"an abstract socket of a proxy": {"unix", abstract},
	}
	for _, text := range notations {
		attacks["this machine as "+text] = deed{"shell", fmt.Sprintf("bash -c 'exec 3<>/dev/tcp/%s/%d && cat <&3'", text, port)}
	}
	free := c
	free.Policy = freePolicy(t, c)
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, confined := range []bool{true, false} {
				c := c
				if !confined {
					c.Policy = free.Policy
				}
				c.Call.Args, _ = json.Marshal(attack)
				r, err := sandbox.Run(t.Context(), c)
				if (err == nil) == confined {
					t.Errorf("confined %t: got %s, %v", confined, r.Value, err)
				}
			}
		})
	}
}

// freePolicy is a policy with the whole network and the sockets of other programs.
func freePolicy(t *testing.T, c sandbox.Command) sandbox.Policy {
	t.Helper()
	var g sandbox.Grants
	t.Cleanup(g.Close)
	p := command(t, "network").Policy
	p.Network, p.UnixSockets = true, true
	p.ReadWrite = append(p.ReadWrite, c.Dir, filepath.Dir(os.TempDir()), os.TempDir())
	return g.Open(p)
}

// TestNetworkApart lets one process serve a port of its loopback. Another process, such as another plugin, does not reach it under rules.
func TestNetworkApart(t *testing.T) {
	t.Parallel()
	c, _ := netScene(t)
	for _, confined := range []bool{true, false} {
		policy := c.Policy
		if !confined {
			policy = freePolicy(t, c)
		}
		ours, theirs, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		in, hold, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		server, report, err := sandbox.Start(t.Context(), process.Spec{
			Path: c.Executable, Args: []string{"aura", "serve", "127.0.0.1:0"}, Dir: c.Dir, Env: c.Env, Stdin: in, Stdout: theirs,
		}, policy)
		if err != nil {
			t.Fatal(err, report)
		}
		_, _ = theirs.Close(), in.Close()
		var at string
		if _, err := fmt.Fscanln(ours, &at); err != nil {
			t.Fatal(err)
		}
		other := c
		other.Policy = policy
		other.Call.Args, _ = json.Marshal(deed{"read", at})
		r, err := sandbox.Run(t.Context(), other)
		if (err == nil) == confined {
			t.Errorf("confined %t: got %s, %v", confined, r.Value, err)
		}
		_ = hold.Close()
		<-server.Exited()
		_ = ours.Close()
	}
}

// serveUntilEnd serves a port and prints its address. It ends with its input.
func serveUntilEnd(ctx context.Context, at string) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
	if err != nil {
		return "", err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("mine"))
			_ = conn.Close()
		}
	}()
	fmt.Println(l.Addr())
	_, _ = unix.Read(0, make([]byte, 1))
	return "", l.Close()
}

func init() { networkDeeds["serve"] = serveUntilEnd }
