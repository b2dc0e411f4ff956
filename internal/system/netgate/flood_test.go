package netgate

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace asks more questions at once than are answered in a second: the rest is dropped, and later ones are answered again.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := newBudget(maxQuestions, maxQuestions)
		taken := func(n int) (out int) {
			for range n {
				if pace.take() {
					out++
				}
			}
			return out
		}
		if got := taken(100_000); got != maxQuestions {
			t.Errorf("%d answers at once", got)
		}
		time.Sleep(100 * time.Millisecond)
		if got := taken(100_000); got != maxQuestions/10 {
			t.Errorf("%d answers after a tenth of a second", got)
		}
		time.Sleep(time.Hour)
		if got := taken(100_000); got != maxQuestions {
			t.Errorf("%d answers after an hour", got)
		}
	})
}

// passTo passes a connection that begins as begin does, and then continues a byte a second. It returns the reported event and the bytes that were sent.
func passTo(t *testing.T, begin []byte) (e Event, sent int) {
	t.Helper()
	s := testSession(t, Owner{Report: func(got Event) { e = got }}, "*.example")
	addr := s.addressOf("a.example")
	there, far := net.Pipe()
	s.out = Outside{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("9.9.9.9")}, nil
		},
		Dial: func(context.Context, netip.AddrPort) (net.Conn, error) { return remote{there}, nil },
		Own:  func() []netip.Addr { return nil },
	}
	inside, client := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.pass(t.Context(), dialledConn{inside, net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, 443))})
		_, _ = inside.Close(), far.Close()
	}()
	for {
		n, err := client.Write(begin)
		sent += n
		if err != nil {
			break
		}
		begin = []byte{0}
		time.Sleep(time.Second)
	}
	<-done
	return e, sent
}

// dialledConn and remote are connections with the addresses that the gate needs.
type dialledConn struct {
	net.Conn

	to net.Addr
}

func (c dialledConn) LocalAddr() net.Addr { return c.to }

type remote struct{ net.Conn }

func (remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(9, 9, 9, 9), Port: 443} }

// TestHalfHello begins hellos and never ends them: slowly, and with a million bytes. The gate ends both connections.
func TestHalfHello(t *testing.T) {
	t.Parallel()
	// A hello of the largest size that is read, of which almost all is missing.
	start := []byte{recordHandshake, 3, 1, 0x40, 0, clientHello, 0, 0x7f, 0xfc}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		e, sent := passTo(t, start)
		if e.Allowed || !strings.Contains(e.Rule, "reading the TLS hello") || time.Since(began) > 2*helloTime || sent > 100 {
			t.Errorf("a byte a second: %+v after %s and %d bytes", e, time.Since(began), sent)
		}
		var million []byte
		for len(million) < 1_000_000 {
			million = append(append(million, recordHandshake, 3, 1, 0, 1), 1)
		}
		copy(million, start)
		if e, sent = passTo(t, million); e.Allowed || sent > 2*maxRaw {
			t.Errorf("a million bytes: %+v after %d bytes", e, sent)
		}
	})
}

// TestHalfHellosBounded holds as many half hellos as a namespace may have connections.
func TestHalfHellosBounded(t *testing.T) {
	t.Parallel()
	half := append([]byte{recordHandshake, 3, 1, 0x40, 0, clientHello, 0, 0x7f, 0xfc}, make([]byte, maxRecord-100)...)
	s := serve(t, echo(t), []netip.Addr{netip.MustParseAddr("9.9.9.9")})
	s.ask(t, "a.example")
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	conns := make([]net.Conn, 0, maxConnections)
	for range maxConnections {
		conn, err := net.Dial("tcp", s.at)
		if err == nil {
			_, err = conn.Write(half)
		}
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		<-s.dialled
	}
	runtime.GC()
	runtime.ReadMemStats(&during)
	if more := int64(during.HeapInuse) - int64(before.HeapInuse); more > maxConnections*4*maxRaw {
		t.Errorf("%d bytes of memory for %d connections", more, maxConnections)
	}
	s.ask(t, "a.example") // names are still answered
	for _, conn := range conns {
		_ = conn.Close()
		if e := <-s.events; e.Allowed {
			t.Errorf("%+v", e)
		}
	}
}
