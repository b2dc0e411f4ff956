package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/net/proxy"
)

// The limits of one connection with a server.
const (
	// MaxRefs and MaxRefBytes limit the list of branches and tags. MaxReceived limits all that is received, in bytes.
	MaxRefs     = 100_000
	MaxRefBytes = 16 << 20
	MaxReceived = MaxBytes + 56<<20
	// MaxFetch is the time for all of it. MaxSilence is how long nothing may arrive.
	MaxFetch   = 10 * time.Minute
	MaxSilence = time.Minute
)

// peer limits what one server sends, whatever the protocol.
type peer struct {
	// silence is MaxSilence.
	silence time.Duration

	mu       sync.Mutex
	received int64
	// limit applies to received; what names what is received.
	limit  int64
	what   string
	failed error
}

func newPeer() *peer {
	return &peer{silence: MaxSilence, limit: MaxRefBytes, what: "its list of branches and tags"}
}

// listed ends the phase in which the server lists its branches and tags.
func (p *peer) listed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit, p.what = MaxReceived, "what it sends"
}

// receive counts bytes. Once there are too many, it returns an error, now and later.
func (p *peer) receive(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.received += int64(n); p.received > p.limit && p.failed == nil {
		p.failed = fmt.Errorf("the server sends too much: %s has more than the limit of %d MB", p.what, p.limit>>20)
	}
	return p.failed
}

// explain returns the limit that was exceeded instead of an error that it caused.
func (p *peer) explain(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && p.failed != nil {
		return p.failed
	}
	return err
}

func (p *peer) silent() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = fmt.Errorf("the server sent nothing for %s, which is the limit", p.silence)
	}
	return p.failed
}

// roundTripper returns a client's transport whose answers are limited.
func (p *peer) roundTripper(base http.RoundTripper) http.RoundTripper { return limitedTrips{base, p} }

type limitedTrips struct {
	http.RoundTripper
	peer *peer
}

// RoundTrip implements http.RoundTripper.
func (l limitedTrips) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body := resp.Body
	timer := time.AfterFunc(l.peer.silence, func() {
		_ = l.peer.silent()
		_ = body.Close() // ends the read
	})
	resp.Body = &limitedBody{body, l.peer, timer}
	return resp, nil
}

type limitedBody struct {
	io.ReadCloser
	peer  *peer
	timer *time.Timer
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.timer.Reset(b.peer.silence)
	}
	if failed := b.peer.receive(n); failed != nil {
		return 0, failed
	}
	return n, err
}

func (b *limitedBody) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}

// peers holds the peers of connections over ssh by their number. The library opens these connections itself, and asks a proxy for
// them; this is that proxy.
var peers = struct {
	sync.Mutex
	next    int
	by      map[string]*peer
	startup sync.Once
}{by: map[string]*peer{}}

const peerScheme = "aura-peer"

// throughProxy returns the settings with which the library connects through the peer, and a function that ends their validity.
func (p *peer) throughProxy() (transport.ProxyOptions, func()) {
	peers.startup.Do(func() {
		proxy.RegisterDialerType(peerScheme, func(u *url.URL, _ proxy.Dialer) (proxy.Dialer, error) {
			peers.Lock()
			defer peers.Unlock()
			found := peers.by[u.Host]
			if found == nil {
				return nil, errors.New("the connection has ended")
			}
			return peerDialer{found}, nil
		})
	})
	peers.Lock()
	defer peers.Unlock()
	peers.next++
	name := strconv.Itoa(peers.next)
	peers.by[name] = p
	return transport.ProxyOptions{URL: peerScheme + "://" + name}, func() {
		peers.Lock()
		defer peers.Unlock()
		delete(peers.by, name)
	}
}

// peerDialer opens connections that are limited.
type peerDialer struct{ peer *peer }

// Dial implements proxy.Dialer.
func (d peerDialer) Dial(network, addr string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, addr)
}

// DialContext implements proxy.ContextDialer. It uses the proxy of the environment, if there is one.
func (d peerDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := proxy.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &limitedConn{conn, d.peer}, nil
}

type limitedConn struct {
	net.Conn
	peer *peer
}

func (c *limitedConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.peer.silence)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		err = c.peer.silent()
	}
	if failed := c.peer.receive(n); failed != nil {
		return 0, failed
	}
	return n, err
}
