package queue

import (
	"net"
	"sync"
)

// dialer opens one connection after the other. The client of NATS leaves a connection open if the server does not prove who it is, so a
// foreign server would take one descriptor with each attempt.
type dialer struct {
	net.Dialer

	mu   sync.Mutex
	last net.Conn
}

// Dial closes the connection before, and opens another.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil {
		_ = d.last.Close() // it is usually closed already
	}
	conn, err := d.Dialer.Dial(network, address)
	d.last = conn
	return conn, err
}
