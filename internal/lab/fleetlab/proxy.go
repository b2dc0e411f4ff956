package fleetlab

import (
	"io"
	"net"
	"sync"
)

// proxy passes connections on, and can cut them: nothing gets through in either direction then, and neither side gets an error.
type proxy struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	cond  *sync.Cond
	isCut bool
	ended bool
	conns map[net.Conn]bool
}

func newProxy(to string) (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, to: to, conns: map[net.Conn]bool{}}
	p.cond = sync.NewCond(&p.mu)
	go p.accept()
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// cut stops all traffic, or lets it flow again.
func (p *proxy) cut(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = on
	p.cond.Broadcast()
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.cond.Broadcast()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.connect(from)
	}
}

// flowing waits while the network is cut. It returns false at the end.
func (p *proxy) flowing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.isCut && !p.ended {
		p.cond.Wait()
	}
	return !p.ended
}

func (p *proxy) connect(from net.Conn) {
	defer func() { _ = from.Close() }()
	if !p.flowing() {
		return
	}
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	p.mu.Lock()
	p.conns[from], p.conns[to] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.copy(from, to) })
	both.Go(func() { p.copy(to, from) })
	both.Wait()
	p.mu.Lock()
	delete(p.conns, from)
	delete(p.conns, to)
	p.mu.Unlock()
}

// copy copies until one side ends. What arrives while the network is cut is lost with the connection.
func (p *proxy) copy(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		lost := p.isCut
		p.mu.Unlock()
		if lost {
			_, _ = io.Copy(io.Discard, from) // until the other side gives up
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
