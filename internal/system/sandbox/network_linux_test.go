package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// smallInternet is the network behind the gate of these tests. The name pN.example leads to a public address that stands for port N of
// this machine. Other names lead to addresses that are not public.
func smallInternet() netgate.Outside {
	return netgate.Outside{
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			if name == "metadata.example" {
				return []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("::ffff:127.0.0.1")}, nil
			}
			label, _, _ := strings.Cut(name, ".")
			port, err := strconv.ParseUint(strings.TrimPrefix(label, "p"), 10, 16)
			return []netip.Addr{netip.AddrFrom4([4]byte{8, 0, byte(port >> 8), byte(port)})}, err
		},
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			var d net.Dialer
			if to.Addr().IsLoopback() {
				return d.DialContext(ctx, "tcp", to.String())
			}
			a := to.Addr().As4()
			return d.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", int(a[2])<<8|int(a[3])))
		},
		Own: func() []netip.Addr { return nil },
	}
}

// deed is something that a confined process does to the network.
type deed struct{ Kind, At string }

// netDeed does a deed and returns the result as text.
func netDeed(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var d deed
	if err := json.Unmarshal(args, &d); err != nil {
		return nil, err
	}
	// No deed may hang: a client must fail at once.
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	text, err := d.do(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(text)
}

// networkDeeds holds further deeds by their kinds.
var networkDeeds = map[string]func(context.Context, string) (string, error){}

func (d deed) do(ctx context.Context) (string, error) {
	if do := networkDeeds[d.Kind]; do != nil {
		return do(ctx, d.At)
	}
	var dialer net.Dialer
	switch d.Kind {
	case "read": // connects and reads until the end
		conn, err := dialer.DialContext(ctx, "tcp", d.At)
		if err != nil {
			return "", err
		}
		defer func() { _ = conn.Close() }()
		deadline, _ := ctx.Deadline()
		_ = conn.SetDeadline(deadline)
		got, err := io.ReadAll(conn)
		return string(got), err
	case "resolver": // asks a resolver for a name
		name, at, _ := strings.Cut(d.At, "@")
		r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			proto, addr, _ := strings.Cut(at, "/")
			return dialer.DialContext(ctx, proto, addr)
		}}
		found, err := r.LookupHost(ctx, name)
		return strings.Join(found, " "), err
	case "own server":
		l, err := net.Listen("tcp", d.At)
		if err != nil {
			return "", err
		}
		go func() {
			conn, err := l.Accept()
			if err == nil {
				_, _ = conn.Write([]byte("mine"))
				_ = conn.Close()
			}
		}()
		return deed{"read", l.Addr().String()}.do(ctx)
	case "socket":
		var family, kind, protocol int
		_, err := fmt.Sscanf(d.At, "%d %d %d", &family, &kind, &protocol)
		if err != nil {
			return "", err
		}
		_, err = unix.Socket(family, kind, protocol)
		return "opened", err
	case "shell":
		out, err := exec.CommandContext(ctx, "/bin/sh", "-c", d.At).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return string(out), err
	}
	return "", errors.New("no such deed")
}

// greeter serves "hello" to each connection on a port of this machine.
func greeter(t *testing.T) uint16 {
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
			_, _ = conn.Write([]byte("hello"))
			_ = conn.Close()
		}
	}()
	return netip.MustParseAddrPort(l.Addr().String()).Port()
}

func patterns(t *testing.T, texts ...string) []network.Pattern {
	t.Helper()
	var out []network.Pattern
	for _, text := range texts {
		p, err := network.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// netScene returns a command under rules, and the port of a server of this machine that confined processes reach as pN.example only.
func netScene(t *testing.T) (sandbox.Command, uint16) {
	t.Helper()
	c := command(t, "network")
	if !canIsolate() {
		testneed.Missing(t, testneed.Namespaces, "rules for the network need them")
	}
	port := greeter(t)
	var g sandbox.Grants
	t.Cleanup(g.Close)
	g.UseHelper(c.Executable)
	c.Policy.Network = false
	c.Policy.Hosts = &network.Rules{
		Allow: patterns(t, "*.example", fmt.Sprintf("localhost:%d", greeter(t)), fmt.Sprintf("127.0.0.1:%d", greeter(t)), "8.1.2.3:80"), Deny: patterns(t, "secret.example"),
	}
	c.Policy = g.Open(c.Policy)
	return c, port
}

func TestNetworkRules(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	local := c.Policy.LocalPorts
	tests := map[string]struct {
		deed
		value, err string
		refused    string // the host and port that is reported
	}{
		"a name that is allowed":        {deed: deed{"read", fmt.Sprintf("p%d.example:80", port)}, value: "hello"},
		"in capitals, with a dot":       {deed: deed{"read", fmt.Sprintf("P%d.Example.:443", port)}, value: "hello"},
		"a port that no rule names":     {deed: deed{"read", fmt.Sprintf("p%d.example:81", port)}, err: "connection reset", refused: fmt.Sprintf("p%d.example:81", port)},
		"a name that no rule names":     {deed: deed{"read", "elsewhere.test:443"}, err: "no such host", refused: "elsewhere.test:0"},
		"a name that is denied":         {deed: deed{"read", "secret.example:443"}, err: "no such host", refused: "secret.example:0"},
		"a name of the metadata":        {deed: deed{"read", "metadata.example:80"}, err: "connection reset", refused: "metadata.example:80"},
		"an address":                    {deed: deed{"read", "8.8.8.8:443"}, err: "connection reset", refused: "8.8.8.8:443"},
		"the metadata address":          {deed: deed{"read", "169.254.169.254:80"}, err: "connection reset", refused: "169.254.169.254:80"},
		"an address within IPv6":        {deed: deed{"read", "[::ffff:8.8.8.8]:443"}, err: "connection reset", refused: "8.8.8.8:443"},
		"an address of IPv6":            {deed: deed{"read", "[2001:4860:4860::8888]:443"}, err: "unreachable"},
		"an address of the block":       {deed: deed{"read", "198.18.77.77:443"}, err: "connection reset", refused: "198.18.77.77:443"},
		"a port of this machine":        {deed: deed{"read", fmt.Sprintf("127.0.0.1:%d", port)}, err: "connection refused"},
		"an allowed port of it":         {deed: deed{"read", fmt.Sprintf("localhost:%d", local[0])}, value: "hello"},
		"another, by its address":       {deed: deed{"read", fmt.Sprintf("127.0.0.1:%d", local[1])}, value: "hello"},
		"another resolver":              {deed: deed{"resolver", "elsewhere.test@udp/8.8.8.8:53"}, err: "no such host", refused: "elsewhere.test:0"},
		"another resolver over TCP":     {deed: deed{"resolver", "elsewhere.test@tcp/8.8.8.8:53"}, err: "no such host", refused: "elsewhere.test:0"},
		"an answer of it":               {deed: deed{"resolver", "a.example@udp/9.9.9.9:53"}, value: "198.18.0.1"},
		"an answer over TCP":            {deed: deed{"resolver", "a.example@tcp/9.9.9.9:53"}, value: "198.18.0.1"},
		"a server of its own":           {deed: deed{"own server", "127.0.0.1:0"}, value: "mine"},
		"a server at all addresses":     {deed: deed{"own server", ":8080"}, value: "mine"},
		"packets":                       {deed: deed{"resolver", "elsewhere.test@udp/8.8.8.8:5353"}, err: "refused"},
		"a raw socket":                  {deed: deed{"socket", fmt.Sprintln(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)}, err: "not permitted"},
		"a packet socket":               {deed: deed{"socket", fmt.Sprintln(unix.AF_PACKET, unix.SOCK_RAW, 0)}, err: "not permitted"},
		"a vsock":                       {deed: deed{"socket", fmt.Sprintln(unix.AF_VSOCK, unix.SOCK_STREAM, 0)}, err: "not permitted"},
		"a netlink socket":              {deed: deed{"socket", fmt.Sprintln(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)}, err: "not permitted"},
		"a program":                     {deed: deed{"shell", "getent ahostsv4 a.example | grep STREAM"}, value: "198.18.0.1 "},
		"a program with another name":   {deed: deed{"shell", "getent hosts elsewhere.test"}, err: "exit status 2", refused: "elsewhere.test:0"},
		"a new network namespace":       {deed: deed{"shell", "unshare -n true"}, err: "not permitted"},
		"the namespace of this machine": {deed: deed{"shell", "nsenter -t 1 -n true"}, err: "exit status"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := c
			c.Call.Args, _ = json.Marshal(tt.deed)
			r, err := sandbox.Run(t.Context(), c)
			var value string
			_ = json.Unmarshal(r.Value, &value)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) || !strings.HasPrefix(value, tt.value) {
				t.Errorf("got %q, %v, with %q", value, err, r.Report.Uncovered)
			}
			var refused string
			for _, e := range r.Refused {
				refused += fmt.Sprintf("%s:%d", e.Host, e.Port)
				if e.Rule == "" {
					t.Errorf("no rule: %+v", e)
				}
			}
			if refused != tt.refused {
				t.Errorf("reported %v", r.Refused)
			}
		})
	}
}

func init() {
	stages[sandbox.ConfinedArgument] = func() int {
		if sandbox.Confined(os.Args[2]) != nil {
			return 1
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		fmt.Println(deed{os.Args[3], os.Args[4]}.do(ctx))
		return 0
	}
}

// TestNetworkStart checks that a process with its own streams, such as a server, is under the rules too.
func TestNetworkStart(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	for at, want := range map[string]string{
		fmt.Sprintf("p%d.example:80", port): "hello <nil>", "elsewhere.test:80": "no such host", fmt.Sprintf("127.0.0.1:%d", port): "connection refused",
	} {
		var out bytes.Buffer
		p, report, err := sandbox.Start(t.Context(), process.Spec{
			Path: c.Executable, Args: []string{"aura", "read", at}, Dir: c.Dir, Env: c.Env, Stdout: &out,
		}, c.Policy)
		if err != nil {
			t.Fatal(err, report)
		}
		<-p.Exited()
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", at, out.String())
		}
	}
}

// TestNetworkGateDies kills the gate. aura starts the next one, which serves the process that waits.
func TestNetworkGateDies(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	c.Call.Args, _ = json.Marshal(deed{"read", fmt.Sprintf("p%d.example:80", port)})
	if _, err := sandbox.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !c.Policy.KillGate() {
		t.Fatal("there is no gate")
	}
	r, err := sandbox.Run(t.Context(), c)
	if err != nil || string(r.Value) != `"hello"` {
		t.Errorf("got %s, %v", r.Value, err)
	}
}

// TestNetworkPorts checks that a rule for every port is for every port, and that other rules leave the ports of the namespace to the process.
// Without a packet filter, the usual ports are reached, and the user learns it.
func TestNetworkPorts(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	var g sandbox.Grants
	t.Cleanup(g.Close)
	g.UseHelper(c.Executable)
	c.Policy = command(t, "network").Policy
	c.Policy.Network, c.Policy.Hosts = false, &network.Rules{Allow: patterns(t, "*.example:*", "b.example:8443")}
	c.Policy = g.Open(c.Policy)
	name := fmt.Sprintf("p%d.example:", port)
	tests := map[string]struct {
		deed
		filter, bare string // the result with a packet filter and without one
	}{
		"a usual port":                {deed{"read", name + "443"}, `"hello" <nil>`, `"hello" <nil>`},
		"the first port":              {deed{"read", name + "1"}, `"hello" <nil>`, "refused"},
		"a port":                      {deed{"read", name + "12345"}, `"hello" <nil>`, "refused"},
		"the last port":               {deed{"read", name + "65535"}, `"hello" <nil>`, "refused"},
		"an address":                  {deed{"read", "8.8.8.8:12345"}, "reset", "refused"},
		"a port of this machine":      {deed{"read", fmt.Sprintf("127.0.0.1:%d", port)}, "refused", "refused"},
		"the port of the gate":        {deed{"read", "127.0.0.1:1"}, "reset", "refused"},
		"a server on a port of rules": {deed{"own server", "127.0.0.1:8443"}, `"mine" <nil>`, "in use"},
	}
	for name, tt := range tests {
		for _, filter := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", filter), func(t *testing.T) {
				t.Parallel()
				c, want := c, tt.filter
				if !filter {
					c.Env, want = append(slices.Clip(c.Env), sandbox.NoFilter), tt.bare
				}
				c.Call.Args, _ = json.Marshal(tt.deed)
				r, err := sandbox.Run(t.Context(), c)
				limited := strings.Contains(strings.Join(r.Report.Uncovered, " "), "an entry with :* is reached on these ports only: [22 80 443 8443 9418]")
				if filter && limited {
					testneed.Missing(t, testneed.Namespaces, "the kernel has no packet filter")
				}
				if got := fmt.Sprintf("%s %v", r.Value, err); !strings.Contains(got, want) || limited == filter {
					t.Errorf("got %s, with %q", got, r.Report.Uncovered)
				}
			})
		}
	}
	if p := g.Open(sandbox.Policy{Network: true}); p.Gated {
		t.Error("a process with every host has a gate")
	}
}

// TestNetworkFailsClosed checks that a process without a gate has no network.
func TestNetworkFailsClosed(t *testing.T) {
	t.Parallel()
	c := command(t, "network")
	c.Policy.Network, c.Policy.Hosts = false, &network.Rules{Allow: patterns(t, "*.example")}
	// Nothing has opened a gate for the policy.
	c.Call.Args, _ = json.Marshal(deed{"read", fmt.Sprintf("127.0.0.1:%d", greeter(t))})
	r, err := sandbox.Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "operation not permitted") {
		t.Errorf("got %s, %v", r.Value, err)
	}
	if len(r.Report.Uncovered) == 0 || !strings.Contains(strings.Join(r.Report.Uncovered, " "), "the network is off, because the rules of sandbox.network cannot be enforced") {
		t.Errorf("report %q", r.Report.Uncovered)
	}
}
