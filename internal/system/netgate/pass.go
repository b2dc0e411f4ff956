package netgate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/system/network"
)

// pass decides about a connection, connects it to the host that it is for, and copies until both sides have ended.
func (s *session) pass(ctx context.Context, conn net.Conn) {
	to, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return
	}
	host, named := s.hostOf(to)
	e := Event{Host: host, Port: to.Port()}
	if e.Allowed, e.Rule = s.decide(ctx, host, to.Port()); !e.Allowed {
		s.drop(conn, e)
		return
	}
	there, err := Connect(ctx, s.out, s.rules, host, to.Port())
	if err != nil {
		var refused *refusedError
		e.Allowed, e.Rule = !errors.As(err, &refused), err.Error()
		s.drop(conn, e)
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = there.Close() })
	defer stop()
	defer func() { _ = there.Close() }()
	e.Address = there.RemoteAddr().String()
	if !named {
		host = "" // an address has no name that a hello could have
	}
	if e.Sent, e.Received, err = exchange(conn, there, host); err != nil {
		e.Allowed, e.Rule = false, err.Error()
		s.drop(conn, e)
		return
	}
	s.reports.add(e)
}

// decide says whether a host may be reached, and by which rule. It may ask.
func (s *session) decide(ctx context.Context, host string, port uint16) (allowed bool, rule string) {
	verdict := s.rules.Decide(host, port)
	if verdict.Decision != network.Ask {
		return verdict.Decision == network.Allowed, verdict.Rule
	}
	answer := s.asks.put(ctx, Question{Host: host, Port: port, Rule: verdict.Rule})
	return answer.Allowed, answer.Rule
}

// hostOf returns the host that an address in the namespace means. named is true if it is a name that DNS answered. An address of this
// machine means localhost, unless the rules allow the address itself.
func (s *session) hostOf(to netip.AddrPort) (host string, named bool) {
	addr := to.Addr().Unmap()
	s.mu.Lock()
	name, ok := s.hosts[addr]
	s.mu.Unlock()
	switch {
	case ok:
		return name, true
	case addr.IsLoopback() && s.rules.Decide(addr.String(), to.Port()).Decision != network.Allowed:
		return network.Localhost, false
	default:
		return addr.String(), false
	}
}

// drop ends a connection at once, and reports why.
func (s *session) drop(conn net.Conn, e Event) {
	s.reports.add(e)
	if tcp, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// refusedError says that the address of a host is refused.
type refusedError struct{ error }

// maxTried is how many addresses of a host are tried.
const maxTried = 4

// Connect dials an address of a host that the rules allow. The address that was checked is the one that is dialled.
func Connect(ctx context.Context, out Outside, rules network.Rules, host string, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addrs, err := resolveHost(ctx, out, host)
	if err != nil {
		return nil, fmt.Errorf("looking up %s: %w", host, err)
	}
	var refused, failed error
	tried := 0
	for _, addr := range addrs {
		target := netip.AddrPortFrom(addr.Unmap(), port)
		if err := rules.CheckAddress(host, target, out.Own()); err != nil {
			refused = &refusedError{err}
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		// One address that does not answer must not use up the time of all.
		part, cancel := context.WithTimeout(ctx, dialTime/maxTried)
		conn, err := out.Dial(part, target)
		cancel()
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	switch {
	case failed != nil:
		return nil, fmt.Errorf("connecting to %s: %w", host, failed)
	case refused != nil:
		return nil, refused
	default:
		return nil, fmt.Errorf("looking up %s: it has no address", host)
	}
}

// resolveHost returns the addresses of a host.
func resolveHost(ctx context.Context, out Outside, host string) ([]netip.Addr, error) {
	if host == network.Localhost {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	return out.Resolve(ctx, host)
}

// exchange copies both ways. If the client begins with a TLS hello, its server name must be the host; an empty host means any. Nothing is sent before that is known.
func exchange(conn, there net.Conn, host string) (sent, received int64, err error) {
	var all sync.WaitGroup
	all.Go(func() {
		received, _ = io.Copy(conn, there)
		finish(conn, there)
	})
	first := make([]byte, 1)
	if _, err = io.ReadFull(conn, first); err == nil {
		sent, err = forward(conn, there, first, host)
	} else {
		err = nil // the client sends nothing
	}
	if err != nil {
		_, _ = conn.Close(), there.Close()
	} else {
		finish(there, conn)
	}
	all.Wait()
	return sent, received, err
}

// forward sends what the client sends, beginning with its first byte. An error means that the connection is refused.
func forward(conn, there net.Conn, first []byte, host string) (int64, error) {
	if first[0] == recordHandshake && host != "" {
		_ = conn.SetReadDeadline(time.Now().Add(helloTime))
		raw, name, err := readHello(io.MultiReader(bytes.NewReader(first), conn))
		_ = conn.SetReadDeadline(time.Time{})
		if err != nil {
			return 0, err
		}
		if got, err := network.Name(name); err != nil || got != host {
			return 0, fmt.Errorf("the TLS hello asks for %.100q instead of %s", name, host)
		}
		first = raw
	}
	// If the host has closed the connection, copying ends at once.
	n, _ := there.Write(first)
	more, _ := io.Copy(there, conn)
	return int64(n) + more, nil
}

// finish ends one direction: to gets no more bytes, and the other direction has some time left.
func finish(to, from net.Conn) {
	if tcp, ok := to.(interface{ CloseWrite() error }); ok {
		_ = tcp.CloseWrite()
	}
	_ = to.SetReadDeadline(time.Now().Add(keptOpen))
	_ = from.SetReadDeadline(time.Now().Add(keptOpen))
}
