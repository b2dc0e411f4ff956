package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/netgate"
)

const (
	// gateMemory is how much memory the gate uses before it collects garbage more often, in bytes. A connection needs some KiB, because
	// the kernel copies its bytes.
	gateMemory = 128 << 20
	// reportTime is how long the gate waits until aura reads an event.
	reportTime = 5 * time.Second
)

// GateMain is the process of the gate: it serves the namespaces that come on standard input until aura closes it. out is the network that
// it leads to.
func GateMain(out netgate.Outside) int {
	Rename(processName)
	debug.SetMemoryLimit(gateMemory)
	// What confined code asks of the gate must leave processors to others.
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/2))
	if err := confineGate(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		files, err := receiveFiles(int(os.Stdin.Fd()))
		if err != nil {
			return 0 // aura is gone
		}
		for _, f := range files {
			go func() {
				defer func() { _ = f.Close() }()
				if err := serveVisit(f, out); err != nil {
					_, _ = fmt.Fprintln(os.Stderr, err)
				}
			}()
		}
	}
}

// serveVisit serves one namespace until aura ends the connection.
func serveVisit(f *os.File, out netgate.Outside) error {
	sockets, err := receiveFiles(int(f.Fd()))
	defer closeFiles(sockets)
	if err != nil {
		return fmt.Errorf("receiving the sockets of a process: %w", err)
	}
	talk, err := net.FileConn(f)
	if err != nil {
		return fmt.Errorf("connecting to aura: %w", err)
	}
	defer func() { _ = talk.Close() }()
	var first orders
	in := json.NewDecoder(talk)
	in.DisallowUnknownFields()
	if err := in.Decode(&first); err != nil {
		return fmt.Errorf("reading the rules of a process: %w", err)
	}
	inside, err := insideOf(sockets)
	if err != nil {
		return err
	}
	inside.Gates = first.Gates
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	to := &toAura{conn: talk, open: map[int]chan netgate.Answer{}}
	go func() {
		to.receive(in)
		cancel()
	}()
	netgate.Serve(ctx, inside, first.Rules, out, netgate.Owner{Report: to.report, Ask: to.ask})
	return nil
}

// insideOf returns the sockets of a namespace as the gate needs them. On an error it closes none; serveVisit then ends.
func insideOf(sockets []*os.File) (netgate.Inside, error) {
	var in netgate.Inside
	for i, f := range sockets {
		if err := unix.SetNonblock(int(f.Fd()), true); err != nil {
			return in, fmt.Errorf("using a socket of a process: %w", err)
		}
		if i == 0 {
			conn, err := net.FilePacketConn(f)
			if err != nil {
				return in, fmt.Errorf("using a socket of a process: %w", err)
			}
			udp, ok := conn.(*net.UDPConn)
			if !ok {
				return in, errors.New("the first socket of a process is not one for packets")
			}
			in.Questions = udp
			continue
		}
		l, err := net.FileListener(f)
		if err != nil {
			return in, fmt.Errorf("using a socket of a process: %w", err)
		}
		if i == 1 {
			in.Streams = l
		} else {
			in.Connections = append(in.Connections, redirected{l})
		}
	}
	if in.Streams == nil {
		return in, errors.New("a process sent too few sockets")
	}
	return in, nil
}

// redirected is a listener whose connections have the address that the client dialled as their own.
type redirected struct{ net.Listener }

// Accept returns the next connection. One that the packet filter has not led here keeps its address, and so does one that the filter has
// forgotten: that address is of no host.
func (l redirected) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn, nil
	}
	if to, err := dialled(tcp); err == nil {
		return redirectedConn{tcp, net.TCPAddrFromAddrPort(to)}, nil
	}
	return conn, nil
}

// redirectedConn is a connection with another address of its own. The methods of TCPConn let the kernel copy.
type redirectedConn struct {
	*net.TCPConn

	to *net.TCPAddr
}

// LocalAddr returns the address that the client dialled.
func (c redirectedConn) LocalAddr() net.Addr { return c.to }

// dialled returns the address to which a connection was before the packet filter led it here.
func dialled(conn *net.TCPConn) (netip.AddrPort, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return netip.AddrPort{}, err
	}
	// The kernel writes an address of IPv4 with its port, which fits into this type: family, port, address.
	var got *unix.IPv6Mreq
	var failed error
	err = raw.Control(func(fd uintptr) {
		got, failed = unix.GetsockoptIPv6Mreq(int(fd), unix.IPPROTO_IP, unix.SO_ORIGINAL_DST)
	})
	if err := errors.Join(err, failed); err != nil {
		return netip.AddrPort{}, err
	}
	a := got.Multiaddr
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(a[4:8])), binary.BigEndian.Uint16(a[2:])), nil
}
