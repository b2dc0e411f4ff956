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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

func init() {
	networkDeeds["question"] = askType
	networkDeeds["listen"] = func(ctx context.Context, at string) (string, error) {
		l, err := (&net.ListenConfig{}).Listen(ctx, "unix", at)
		if err != nil {
			return "", err
		}
		return "listening", l.Close()
	}
	networkDeeds["take a descriptor"] = func(context.Context, string) (string, error) {
		self, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			return "", err
		}
		taken, err := unix.PidfdGetfd(self, 0, 0)
		if err != nil {
			return "", err
		}
		return "taken", unix.Close(taken)
	}
	networkDeeds["twice"] = readTwice
	networkDeeds["redirection"] = func(ctx context.Context, at string) (string, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return "", err
		}
		r, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return "", err
		}
		return r.Header.Get("Location"), r.Body.Close()
	}
}

// askType asks a resolver a question of a type that the standard library does not ask.
func askType(ctx context.Context, text string) (string, error) {
	var kind byte
	var at string
	if _, err := fmt.Sscan(text, &kind, &at); err != nil {
		return "", err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", at)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	_, err = conn.Write(append([]byte("\x07\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x08c3RvbGVu\x06tunnel\x04test\x00"), 0, kind, 0, 1))
	reply := make([]byte, 512)
	if err != nil {
		return "", err
	}
	n, err := conn.Read(reply)
	if err == nil && !strings.Contains(string(reply[:n]), "through") {
		err = errors.New("no answer")
	}
	return "through", err
}

// TestNetworkWays tries further ways out. Each of them works for a process that is not confined; root is needed for some.
func TestNetworkWays(t *testing.T) {
	t.Parallel()
	c, _ := netScene(t)
	c.Policy = freePaths(t, c)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "stolen") }))
	t.Cleanup(other.Close)
	redirect := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	t.Cleanup(redirect.Close)
	_, redirectPort, _ := strings.Cut(strings.TrimPrefix(redirect.URL, "http://"), ":")
	// Confined, the name means the server that redirects; without a sandbox, its own address does.
	allowed := strings.Replace(redirect.URL, "127.0.0.1:"+redirectPort, fmt.Sprintf("p%s.example", redirectPort), 1)
	packets := packetServer(t)
	type way struct {
		confined, free deed
		root           bool
	}
	same := func(d deed) way { return way{confined: d, free: d} }
	asRoot := func(d deed) way { return way{d, d, true} }
	for name, tt := range map[string]way{
		"a raw socket":              asRoot(deed{"socket", fmt.Sprintln(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)}),
		"a packet socket":           asRoot(deed{"socket", fmt.Sprintln(unix.AF_PACKET, unix.SOCK_RAW, 0)}),
		"a netlink socket":          same(deed{"socket", fmt.Sprintln(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)}),
		"the packet filter":         same(deed{"socket", fmt.Sprintln(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER)}),
		"another namespace":         asRoot(deed{"shell", "unshare -n true"}),
		"the machine's namespace":   asRoot(deed{"shell", fmt.Sprintf("nsenter --net=/proc/%d/ns/net true", os.Getpid())}),
		"a socket to pass files on": {confined: deed{"listen", filepath.Join(c.Dir, "pass")}, free: deed{"listen", filepath.Join(t.TempDir(), "pass")}},
		"an abstract socket":        same(deed{"listen", "@aura-ways"}),
		"a descriptor of a process": same(deed{"take a descriptor", ""}),
		"a tunnel over A":           same(deed{"question", "1 " + packets}),
		"a tunnel over NULL":        same(deed{"question", "10 " + packets}),
		"a tunnel over TXT":         same(deed{"question", "16 " + packets}),
		"a tunnel over HTTPS":       same(deed{"question", "65 " + packets}),
		"a redirect":                {confined: deed{"get", allowed}, free: deed{"get", redirect.URL}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := c
			c.Call.Args, _ = json.Marshal(tt.confined)
			if r, err := sandbox.Run(t.Context(), c); err == nil {
				t.Errorf("confined: got %s", r.Value)
			}
			if tt.root && os.Geteuid() != 0 {
				return
			}
			if got, err := tt.free.do(t.Context()); err != nil {
				t.Errorf("the control failed: %q, %v", got, err)
			}
		})
	}
	// The redirect itself is served, so it is its target that is refused.
	c.Call.Args, _ = json.Marshal(deed{"redirection", allowed})
	if r, err := sandbox.Run(t.Context(), c); err != nil || string(r.Value) != fmt.Sprintf("%q", other.URL) {
		t.Errorf("the server that redirects: got %s, %v", r.Value, err)
	}
}

// TestNetworkOutlives leaves a child behind with a connection. When the call has ended, the connection has ended.
func TestNetworkOutlives(t *testing.T) {
	t.Parallel()
	c, _ := netScene(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	at := fmt.Sprintf("p%d.example/80", l.Addr().(*net.TCPAddr).Port)
	// The child tells the shell by a file that it has connected; sleep holds the connection.
	c.Call.Args, _ = json.Marshal(deed{"shell", "bash -c 'exec 3<>/dev/tcp/" + at + " && echo ready >&3 && read -r <&3 && { setsid sleep 1000 >/dev/null 2>&1 & }'"})
	connected := make(chan net.Conn, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		line, _ := bufio.NewReader(conn).ReadString('\n')
		_, _ = io.WriteString(conn, line)
		connected <- conn
	}()
	if r, err := sandbox.Run(t.Context(), c); err != nil {
		t.Fatal(r.Value, err)
	}
	conn := <-connected
	// This ends only with the connection.
	if n, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, unix.ECONNRESET) || n != 0 {
		t.Errorf("got %d bytes, %v", n, err)
	}
	// The control: without a sandbox, the child is there after its parent.
	out, err := exec.Command("bash", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!").Output()
	var child int
	if _, scanned := fmt.Sscan(string(out), &child); err != nil || scanned != nil {
		t.Fatal(err, scanned)
	}
	if err := unix.Kill(child, unix.SIGKILL); err != nil {
		t.Errorf("the control: %v", err)
	}
}

// readTwice reads from an address, waits for a line of its input, and reads from it again.
func readTwice(ctx context.Context, at string) (string, error) {
	first, err := deed{"read", at}.do(ctx)
	if err != nil {
		return "", err
	}
	fmt.Println(first)
	_, _ = unix.Read(0, make([]byte, 1))
	second, err := deed{"read", at}.do(context.Background())
	return second, err
}

// TestNetworkGateAgain kills the gate while a process runs. The next one serves the same process.
func TestNetworkGateAgain(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	out, theirs, err1 := os.Pipe()
	in, hold, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	p, report, err := sandbox.Start(t.Context(), process.Spec{
		Path: c.Executable, Args: []string{"aura", "twice", fmt.Sprintf("p%d.example:80", port)}, Dir: c.Dir, Env: c.Env, Stdin: in, Stdout: theirs,
	}, c.Policy)
	if err != nil {
		t.Fatal(err, report)
	}
	_, _ = theirs.Close(), in.Close()
	lines := bufio.NewReader(out)
	if line, _ := lines.ReadString('\n'); line != "hello\n" {
		t.Fatalf("got %q", line)
	}
	if !c.Policy.KillGate() {
		t.Fatal("there is no gate")
	}
	_ = hold.Close()
	if line, _ := lines.ReadString('\n'); line != "hello <nil>\n" {
		t.Errorf("got %q", line)
	}
	<-p.Exited()
	_ = out.Close()
}
