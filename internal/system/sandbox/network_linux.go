package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// gatePin is the name of the connection to the gate among the pinned paths. It is not absolute, so that it differs from every path.
const gatePin = "network gate"

// dnsPort is the port of DNS.
const dnsPort = 53

// gateNetwork moves this process into a network namespace from which only the gate leads out; see netgate. If that is not possible, the
// network is off, and the report says why.
func (p *confinement) gateNetwork(in Isolation, r *Report) {
	if p.Network || !p.Gated {
		return
	}
	err := p.enterNetwork(in, r)
	// The sockets of this namespace lead to the gate only.
	p.Network = err == nil
	r.Gated = err == nil
	if errors.Is(err, errNoNamespaces) && p.Hosts != nil && p.Hosts.Lenient {
		p.Network = true
		r.lacks(fmt.Sprintf("every host and every port of this machine can be reached: without sandbox.network, presets are allowed and other hosts are asked about, "+
			"and that cannot be enforced here: %v; set network to on to accept that silently, or to off", err))
		return
	}
	if err != nil {
		r.lacks(fmt.Sprintf("the network is off, because the rules of sandbox.network cannot be enforced here: %v; "+
			"set network to on or off, or run aura where user and network namespaces are permitted", err))
	}
}

// errNoNamespaces is why rules cannot be enforced on some systems. Confined code cannot cause it: it may make no namespaces.
var errNoNamespaces = errors.New("the system permits no namespaces")

func (p *confinement) enterNetwork(in Isolation, r *Report) error {
	gate := slices.Index(p.Pinned, gatePin)
	switch {
	case !in.Mounts:
		return errNoNamespaces
	case gate < 0:
		return errors.New("there is no gate")
	}
	if err := ownNetwork(); err != nil {
		return err
	}
	if err := routeToSelf(); err != nil {
		return err
	}
	sockets, err := p.gateSockets(r)
	defer closeFiles(sockets)
	if err != nil {
		return err
	}
	return sendFiles(p.files[gate], sockets)
}

// ownNetwork moves all threads of this process into a new network namespace.
func ownNetwork() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("%w: making a network namespace: %w", errNoNamespaces, err)
	}
	own, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening the network namespace: %w", err)
	}
	defer func() { _ = unix.Close(own) }()
	if _, _, errno := psx.Syscall3(unix.SYS_SETNS, uintptr(own), unix.CLONE_NEWNET, 0); errno != 0 {
		return fmt.Errorf("entering the network namespace: %w", errno)
	}
	return nil
}

// routeToSelf starts the loopback device and makes every address of IPv4 an address of this namespace. So a connection to any address
// reaches the gate, which names it in the report, and the resolver answers at whichever address the machine's settings name.
func routeToSelf() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("starting the loopback device: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("starting the loopback device: %w", err)
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, lo); err != nil {
		return fmt.Errorf("finding the loopback device: %w", err)
	}
	if err := addLocalRoute(lo.Uint32()); err != nil {
		return fmt.Errorf("routing all addresses to the gate: %w", err)
	}
	return nil
}

// addLocalRoute adds a route by which every address of IPv4 belongs to a device of this namespace.
func addLocalRoute(device uint32) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	order := binary.NativeEndian
	const size = unix.SizeofNlMsghdr + unix.SizeofRtMsg + unix.SizeofRtAttr + 4
	m := order.AppendUint32(nil, size)
	m = order.AppendUint16(m, unix.RTM_NEWROUTE)
	m = order.AppendUint16(m, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	m = append(m, make([]byte, 8)...) // sequence and sender
	m = append(m, unix.AF_INET, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_STATIC, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0, 0)
	m = order.AppendUint16(m, unix.SizeofRtAttr+4)
	m = order.AppendUint16(m, unix.RTA_OIF)
	m = order.AppendUint32(m, device)
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	return readAck(fd)
}

// redirect is redirectAll, except in tests.
var redirect = redirectAll

// gateSockets opens the sockets of the gate in this namespace. One listener gets the connections to all ports, or, without a packet filter,
// each port of the rules has its own. The caller must close them, also after an error.
func (p *confinement) gateSockets(r *Report) ([]*os.File, error) {
	port := redirectPort(p.LocalPorts)
	err := redirect(port)
	if err == nil {
		return openSockets(nil, append(slices.Clip(p.LocalPorts), port))
	}
	if p.Hosts != nil && p.Hosts.Ports().All {
		r.lacks(fmt.Sprintf("sandbox.network: an entry with :* is reached on these ports only: %v, because of the kernel: %v; write another port out", p.Ports, err))
	}
	return openSockets(p.Ports, p.LocalPorts)
}

// redirectPort returns the port to which all connections are led. It is a low one, which confined code cannot take, and not one of this machine
// that the rules allow.
func redirectPort(local []uint16) uint16 {
	port := uint16(1)
	for port == dnsPort || slices.Contains(local, port) {
		port++
	}
	return port
}

// openSockets opens the sockets of the gate in this namespace: those of DNS first, then a listener for each port. The caller must close
// them, also after an error.
func openSockets(ports, local []uint16) (sockets []*os.File, err error) {
	taken := map[uint16]bool{}
	add := func(kind int, at unix.SockaddrInet4) {
		if err != nil {
			return
		}
		var f *os.File
		if f, err = openSocket(kind, at); err == nil {
			sockets = append(sockets, f)
		}
	}
	add(unix.SOCK_DGRAM, unix.SockaddrInet4{Port: dnsPort})
	for _, port := range append([]uint16{dnsPort}, ports...) {
		if !taken[port] {
			add(unix.SOCK_STREAM, unix.SockaddrInet4{Port: int(port)})
		}
		taken[port] = true
	}
	for _, port := range local {
		if !taken[port] {
			add(unix.SOCK_STREAM, unix.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}})
		}
		taken[port] = true
	}
	return sockets, err
}

// waiting is how many connections wait for the gate on each port.
const waiting = 128

// openSocket opens a socket that receives what is sent to a port of an address, or of any address if it is zero.
func openSocket(kind int, at unix.SockaddrInet4) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("opening port %d of the gate: %w", at.Port, err)
	}
	if kind == unix.SOCK_DGRAM {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1)
	}
	if err == nil {
		err = unix.Bind(fd, &at)
	}
	if err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, waiting)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("opening port %d of the gate: %w", at.Port, err)
	}
	return os.NewFile(uintptr(fd), "gate"), nil
}
