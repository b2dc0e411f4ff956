package server_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
)

const secret = "a token that nobody else may see"

// foreigner is a server of somebody else. It behaves as NATS until a client sends something, and records what that is.
type foreigner struct {
	listener net.Listener
	// config makes it speak TLS.
	config *tls.Config

	mu   sync.Mutex
	got  bytes.Buffer
	seen chan struct{}
}

// listen starts a foreign server. Each connection that has ended is reported on seen.
func (f *foreigner) listen(t *testing.T, address string) {
	t.Helper()
	var err error
	if f.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.listener.Close() })
	f.seen = make(chan struct{}, 1000)
	go func() {
		for {
			conn, err := f.listener.Accept()
			if err != nil {
				return
			}
			go f.serve(conn)
		}
	}()
}

func (f *foreigner) serve(conn net.Conn) {
	defer func() { f.seen <- struct{}{} }()
	defer func() { _ = conn.Close() }()
	info := `INFO {"server_id":"X","version":"2.11.0","proto":1,"headers":true,"max_payload":1048576,"auth_required":true`
	if f.config != nil {
		info += `,"tls_required":true`
	}
	if _, err := io.WriteString(conn, info+"}\r\n"); err != nil {
		return
	}
	if f.config != nil {
		conn = tls.Server(conn, f.config)
	}
	// The first lines are CONNECT, which has the token, and PING.
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		f.mu.Lock()
		f.got.WriteString(lines.Text())
		f.mu.Unlock()
		if strings.HasPrefix(lines.Text(), "PING") {
			return
		}
	}
}

func (f *foreigner) heard() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got.String()
}

// TestForeignServer connects to servers of somebody else. They never see the token. The controls do.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.issue("server")
	pair, err := tls.LoadX509KeyPair(a.path("server"), a.path("server-key"))
	if err != nil {
		t.Fatal(err)
	}
	other := "sha256:" + strings.Repeat("ab", 32)
	speaksTLS := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	for name, test := range map[string]struct {
		config *tls.Config
		o      queue.Options
		want   string
		sees   bool
	}{
		"without TLS":                         {nil, queue.Options{Pins: []string{other}}, "speaks no TLS", false},
		"without TLS, and no pin":             {nil, queue.Options{}, "--insecure-plaintext", false},
		"with another key":                    {speaksTLS, queue.Options{Pins: []string{other}}, "another key than the one that is pinned", false},
		"with a certificate of somebody":      {speaksTLS, queue.Options{}, "--pin", false},
		"control: plaintext is permitted":     {nil, queue.Options{Plaintext: true}, "", true},
		"control: the authority is the right": {speaksTLS, queue.Options{CA: a.path("ca")}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &foreigner{config: test.config}
			f.listen(t, "127.0.0.1:0")
			test.o.URL, test.o.User, test.o.Token = "nats://"+f.listener.Addr().String(), "aura", secret
			q, err := queue.Open(t.Context(), test.o)
			if err == nil {
				q.Close()
				t.Fatal("it connected")
			}
			<-f.seen
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v", err)
			}
			if got := f.heard(); strings.Contains(got, secret) != test.sees {
				t.Errorf("the server saw %q", got)
			}
		})
	}
}

// TestForeignServerLater ends the server of a connected client. Somebody else takes the port, and the client comes back to it.
func TestForeignServerLater(t *testing.T) {
	t.Parallel()
	for name, plaintext := range map[string]bool{"pinned": false, "control": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), User: "aura", Token: secret, Plaintext: plaintext})
			if err != nil {
				t.Fatal(err)
			}
			o := queue.Options{URL: s.URL(), User: "aura", Token: secret, Plaintext: plaintext}
			if !plaintext {
				o.Pins = []string{s.Pin()}
			}
			q, err := queue.Create(t.Context(), o, queue.Shape{})
			if err != nil {
				t.Fatal(err)
			}
			defer q.Close()
			s.Stop()
			where, err := url.Parse(s.URL())
			if err != nil {
				t.Fatal(err)
			}
			f := &foreigner{}
			f.listen(t, where.Host)
			// The client tries again and again.
			for range 2 {
				select {
				case <-f.seen:
				case <-time.After(time.Minute):
					t.Fatal("the client did not come back")
				}
			}
			if got := f.heard(); strings.Contains(got, secret) != plaintext {
				t.Errorf("the server saw %q", got)
			}
		})
	}
}

// TestIdentity starts a server twice, and another one. Only the first two have the same key, which nobody else can read.
func TestIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pins := map[string]int{}
	for _, at := range []string{dir, dir, t.TempDir()} {
		s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: at, User: "aura", Token: secret})
		if err != nil {
			t.Fatal(err)
		}
		if err := queue.CheckPin(s.Pin()); err != nil {
			t.Error(err)
		}
		pins[s.Pin()]++
		s.Stop()
	}
	if info, err := os.Stat(filepath.Join(dir, "server.pem")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key is %v, %v", info, err)
	}
	if len(pins) != 2 {
		t.Errorf("the pins are %v", pins)
	}
	for _, bad := range []string{"", "ab", "sha256:", "sha256:" + strings.Repeat("x", 64), strings.Repeat("ab", 32)} {
		if queue.CheckPin(bad) == nil {
			t.Errorf("%q is a pin", bad)
		}
	}
}
