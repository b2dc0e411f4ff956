package netgate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/idelchi/aura/internal/system/network"
)

func rulesOf(tb testing.TB, allow ...string) network.Rules {
	tb.Helper()
	var out network.Rules
	for _, text := range allow {
		p, err := network.Parse(text)
		if err != nil {
			tb.Fatal(err)
		}
		out.Allow = append(out.Allow, p)
	}
	return out
}

func testSession(tb testing.TB, owner Owner, allow ...string) *session {
	tb.Helper()
	if owner.Report == nil {
		owner.Report = func(Event) {}
	}
	return newSession(rulesOf(tb, allow...), Outside{}, owner)
}

// served is a gate in front of sockets of this machine. The name *.example leads to the addresses of lead, and every address is dialled
// at to.
type served struct {
	dns, at string
	// events and dialled hold what the gate reported and dialled.
	events  chan Event
	dialled chan netip.AddrPort
}

func serve(t *testing.T, to string, lead []netip.Addr) *served {
	t.Helper()
	udp, err1 := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	tcp, err2 := net.Listen("tcp", "127.0.0.1:0")
	l, err3 := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	s := &served{
		dns: udp.LocalAddr().String(), at: l.Addr().String(),
		events: make(chan Event, 4*maxConnections), dialled: make(chan netip.AddrPort, 4*maxConnections),
	}
	out := Outside{
		Resolve: func(context.Context, string) ([]netip.Addr, error) { return lead, nil },
		Dial: func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
			s.dialled <- addr
			return (&net.Dialer{}).DialContext(ctx, "tcp", to)
		},
		Own: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("9.9.9.1")} },
	}
	port := netip.MustParseAddrPort(s.at).Port()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		named := named{Listener: l}
		Serve(ctx, Inside{Questions: udp, Streams: tcp, Connections: []net.Listener{named}}, rulesOf(t, fmt.Sprintf("*.example:%d", port)), out, Owner{Report: func(e Event) { s.events <- e }})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// named makes connections to 127.0.0.1 appear as those to the first name that DNS answered.
type named struct{ net.Listener }

type namedConn struct{ *net.TCPConn }

func (l named) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return namedConn{conn.(*net.TCPConn)}, nil
}

func (c namedConn) LocalAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(198, 18, 0, 1), Port: c.TCPConn.LocalAddr().(*net.TCPAddr).Port}
}

// ask asks the gate for a name, so that connections are for it.
func (s *served) ask(t *testing.T, name string) {
	t.Helper()
	conn, err := net.Dial("udp", s.dns)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	_, err1 := conn.Write(question(name, dnsmessage.TypeA, 1))
	buffer := make([]byte, 512)
	n, err2 := conn.Read(buffer)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if got := read(t, buffer[:n]); got != "RCodeSuccess 198.18.0.1" {
		t.Fatal(got)
	}
}

// send sends bytes through the gate and returns what comes back.
func (s *served) send(t *testing.T, bytes []byte) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.at)
	if err != nil {
		return err.Error() // a connection that is refused at once
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = conn.Write(bytes)
	_ = conn.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(conn)
	if err != nil {
		return err.Error()
	}
	return string(got)
}

// echo serves what it gets after a greeting, as a server does that speaks first.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = conn.Write([]byte("hi "))
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	return l.Addr().String()
}

func TestPass(t *testing.T) {
	t.Parallel()
	public := netip.MustParseAddr("9.9.9.9")
	tests := map[string]struct {
		lead    []netip.Addr
		bytes   []byte
		want    string
		rule    string // part of the rule of the event
		dialled int
	}{
		"bytes":               {[]netip.Addr{public}, []byte("text"), "hi text", "allow: *.example", 1},
		"nothing":             {[]netip.Addr{public}, nil, "hi ", "allow: *.example", 1},
		"the right name":      {[]netip.Addr{public}, hello(t, "a.example"), "hi " + "\x16\x03\x01", "allow", 1},
		"another name":        {[]netip.Addr{public}, hello(t, "b.example"), "reset", `asks for "b.example" instead of a.example`, 1},
		"no name":             {[]netip.Addr{public}, hello(t, ""), "reset", "no server name", 1},
		"half a hello":        {[]netip.Addr{public}, hello(t, "a.example")[:50], "reset", "reading the TLS hello", 1},
		"not a hello":         {[]netip.Addr{public}, []byte("\x16text that is not TLS"), "reset", "not valid", 1},
		"loopback":            {[]netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil, "reset", "not a public address", 0},
		"loopback of IPv6":    {[]netip.Addr{netip.IPv6Loopback()}, nil, "reset", "not a public address", 0},
		"loopback in IPv6":    {[]netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, nil, "reset", "not a public address", 0},
		"private":             {[]netip.Addr{netip.MustParseAddr("10.1.1.1")}, nil, "reset", "not a public address", 0},
		"metadata":            {[]netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil, "reset", "not a public address", 0},
		"the block":           {[]netip.Addr{netip.MustParseAddr("198.18.0.1")}, nil, "reset", "not a public address", 0},
		"this machine":        {[]netip.Addr{netip.MustParseAddr("9.9.9.1")}, nil, "reset", "an address of this machine", 0},
		"private, and public": {[]netip.Addr{netip.MustParseAddr("10.1.1.1"), public}, nil, "hi ", "allow", 1},
		"no address":          {nil, nil, "reset", "no address", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, echo(t), tt.lead)
			s.ask(t, "a.example")
			got := s.send(t, tt.bytes)
			if !strings.Contains(got, tt.want) && (tt.want != "reset" || got != "hi " && got != "") {
				t.Errorf("got %q", got)
			}
			if e := <-s.events; !strings.Contains(e.Rule, tt.rule) || e.Host != "a.example" {
				t.Errorf("event %+v", e)
			}
			if len(s.dialled) != tt.dialled || tt.dialled > 0 && (<-s.dialled).Addr() != public {
				t.Error("another address was dialled")
			}
		})
	}
}

// TestPassUnknown connects to an address of the block that means no name.
func TestPassUnknown(t *testing.T) {
	t.Parallel()
	s := serve(t, echo(t), []netip.Addr{netip.MustParseAddr("9.9.9.9")})
	s.send(t, nil)
	if e := <-s.events; e.Allowed || e.Host != "198.18.0.1" || len(s.dialled) > 0 {
		t.Errorf("event %+v", e)
	}
}

// TestFlood opens more connections than a gate serves. It dials no more than its limit at a time, and still answers names.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := serve(t, echo(t), []netip.Addr{netip.MustParseAddr("9.9.9.9")})
	s.ask(t, "a.example")
	conns := make([]net.Conn, 0, 2*maxConnections)
	for range cap(conns) {
		conn, err := net.Dial("tcp", s.at)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	for range maxConnections {
		<-s.dialled
	}
	// The next answers show that the gate has had time to dial more.
	for range maxConnections {
		s.ask(t, "a.example")
	}
	if len(s.dialled) > 0 {
		t.Errorf("%d connections more than the limit", len(s.dialled))
	}
	for _, conn := range conns {
		_ = conn.(*net.TCPConn).CloseWrite()
		if got, err := io.ReadAll(conn); string(got) != "hi " {
			t.Fatalf("got %q, %v", got, err)
		}
		_ = conn.Close()
	}
	for range conns {
		<-s.events
	}
}

// TestRebinding lets a name lead to a public address when it is looked up first, and to this machine after that. It is looked up once for a
// connection, and a connection is made to what was checked.
func TestRebinding(t *testing.T) {
	t.Parallel()
	s := testSession(t, Owner{}, "*.example")
	asked := 0
	var dialled []netip.AddrPort
	s.out = Outside{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			asked++
			if asked%2 == 1 {
				return []netip.Addr{netip.MustParseAddr("9.9.9.9")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		Dial: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			dialled = append(dialled, to)
			return nil, errors.New("nobody is there")
		},
		Own: func() []netip.Addr { return nil },
	}
	to := netip.AddrPortFrom(s.addressOf("a.example"), 443)
	for n := 1; n <= 4; n++ {
		_, err := Connect(t.Context(), s.out, s.rules, "a.example", to.Port())
		var refused *refusedError
		if err == nil || asked != n || errors.As(err, &refused) != (n%2 == 0) {
			t.Errorf("connection %d: %v after %d look-ups", n, err, asked)
		}
	}
	if public := netip.MustParseAddrPort("9.9.9.9:443"); len(dialled) != 2 || dialled[0] != public || dialled[1] != public {
		t.Errorf("dialled %v", dialled)
	}
}

// TestGatesApart checks that an address stands for no name of the gates before.
func TestGatesApart(t *testing.T) {
	t.Parallel()
	seen := map[netip.Addr]int{}
	for gate := range 31 {
		s := testSession(t, Owner{}, "*.example")
		s.before = gate
		for i := range maxNames {
			addr := s.addressOf(fmt.Sprintf("n%d.example", i))
			if before, ok := seen[addr]; ok || !block.Contains(addr) {
				t.Fatalf("gate %d: %s was an address of gate %d", gate, addr, before)
			}
			seen[addr] = gate
		}
	}
}
