package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// The limits of the server. A page is small, and a browser opens few connections.
const (
	maxConnections = 128
	maxStreams     = 32
	maxHeader      = 16 << 10
	maxBody        = 4 << 10
	headerTime     = 5 * time.Second
	idleTime       = time.Minute
	// writeTime is how long a client may take to accept a page, or one update of a stream.
	writeTime = 10 * time.Second
	// endTime is how long open requests have when the server ends.
	endTime = 2 * time.Second
)

// Options describe a server.
type Options struct {
	// Token proves that a request comes from the user.
	Token Token
	// Socket is set if the listener is a Unix socket. The browser then comes through a tunnel whose port is not known.
	Socket bool
	Source Source
	// Control is what pages may do; nil for pages that change nothing.
	Control *Control
	// Opened, if not nil, is called once, after the first request that has the token.
	Opened func()
}

// Serve answers requests until ctx ends. It closes the listener. After a request to end, it returns nil.
func Serve(ctx context.Context, listener net.Listener, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, endPages := newSite(ctx, o.Source, o.Control)
	bounded := &boundedListener{Listener: listener, most: maxConnections}
	server := &http.Server{
		Handler: newGuard(o, listener.Addr(), pages), MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		// Requests of strangers are no news for the user, and nothing of a request may reach a log.
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, c)
		},
	}
	var ending sync.WaitGroup
	ended := make(chan struct{})
	ending.Go(func() {
		select {
		case <-ctx.Done():
		case <-ended:
		}
		within, stop := context.WithTimeout(context.Background(), endTime)
		defer stop()
		if server.Shutdown(within) != nil {
			// A client that does not read loses its connection.
			_ = server.Close()
		}
	})
	err := server.Serve(bounded)
	close(ended)
	ending.Wait()
	cancel()
	endPages()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serving pages: %w", err)
}

// connectionKey is the key of a request's connection in its context.
type connectionKey struct{}

// boundedListener limits the number of open connections. When there are too many, the oldest one that has not proved to belong to the user
// is closed, so that strangers cannot keep the user out. Connections of the user are never closed; above the limit, new ones are.
type boundedListener struct {
	net.Listener

	most int
	mu   sync.Mutex
	open []*boundedConn
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if conn := l.admit(c); conn != nil {
			return conn, nil
		}
		_ = c.Close()
	}
}

// admit adds a connection, and closes the oldest stranger if there are too many. It returns nil if the user has all connections.
func (l *boundedListener) admit(c net.Conn) net.Conn {
	l.mu.Lock()
	conn := &boundedConn{Conn: c, of: l}
	var oldest *boundedConn
	if len(l.open) >= l.most {
		for _, other := range l.open {
			if !other.known {
				oldest = other
				break
			}
		}
		if oldest == nil {
			l.mu.Unlock()
			return nil
		}
	}
	l.open = append(l.open, conn)
	l.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	return conn
}

// boundedConn is a connection that its listener counts.
type boundedConn struct {
	net.Conn

	of *boundedListener
	// known is set once a request on the connection had the token.
	known bool
}

// Close implements net.Conn.
func (c *boundedConn) Close() error {
	c.of.mu.Lock()
	for i, other := range c.of.open {
		if other == c {
			c.of.open = append(c.of.open[:i], c.of.open[i+1:]...)
			break
		}
	}
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// know marks the connection of a request as the user's.
func know(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*boundedConn); ok {
		c.of.mu.Lock()
		c.known = true
		c.of.mu.Unlock()
	}
}
