// Package netgate is the way out of a network namespace that leads nowhere. It answers the questions of a confined process about names
// with addresses that mean these names, takes the connections to such addresses, and passes the bytes of those that the rules allow to
// the real host.
//
// A confined process never learns a real address, and never chooses one: the gate looks up the name outside, checks the address that it
// got and dials exactly that address. The gate reads what hostile code writes, so everything here is bounded.
package netgate

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/system/network"
)

// The limits of a gate. A flood waits in the queues of its own namespace, which the kernel bounds, or is dropped.
const (
	// maxConnections is how many connections of a namespace are open at a time. Package managers use at most some dozens.
	maxConnections = 128
	// maxNames is how many names of a namespace get an address. A build asks for some dozens.
	maxNames = 4096
	// tick is how long a gate without a free descriptor waits before it accepts again.
	tick = 10 * time.Millisecond
	// dialTime is how long looking up a name and connecting to it may take together.
	dialTime = 15 * time.Second
	// helloTime is how long a client may take for a TLS hello that it has begun.
	helloTime = 10 * time.Second
	// keptOpen is how long one direction of a connection stays open after the other has ended.
	keptOpen = 15 * time.Minute
)

// Event is what happened to a name or a connection.
type Event struct {
	Time time.Time `json:"time"`
	Host string    `json:"host"`
	// Port is 0 for a name that DNS did not answer.
	Port uint16 `json:"port,omitempty"`
	// Address is the address that was dialled.
	Address string `json:"address,omitempty"`
	Allowed bool   `json:"allowed"`
	// Rule is the rule that decided, or why a connection failed.
	Rule     string `json:"rule"`
	Sent     int64  `json:"sent,omitempty"`
	Received int64  `json:"received,omitempty"`
	// Dropped is how many events before this one were not reported, because there were too many.
	Dropped int `json:"dropped,omitempty"`
}

// Failed reports whether the rules allow the connection and it could not be made.
func (e Event) Failed() bool { return e.Allowed && e.Address == "" }

// Question asks whether a host that no rule names may be reached.
type Question struct {
	Host string `json:"host"`
	Port uint16 `json:"port"`
	// Rule is why it is asked.
	Rule string `json:"rule"`
}

// Answer is the answer to a Question. Rule says who decided.
type Answer struct {
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule"`
}

// Owner is who answers for the process in a namespace. Its functions are called from several goroutines.
type Owner struct {
	Report func(Event)
	// Ask decides about a host that no rule names. It returns when the context ends. nil refuses every such host.
	Ask func(context.Context, Question) Answer
}

// Outside is the network that the gate leads to.
type Outside struct {
	// Resolve returns the addresses of a name.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// Dial connects to an address over TCP.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	// Own returns the addresses of this machine.
	Own func() []netip.Addr
}

// Internet returns the network of this process.
func Internet() Outside {
	var dialer net.Dialer
	return Outside{
		Resolve: resolve,
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", to.String())
		},
		Own: ownAddresses,
	}
}

// The resolver of the C library would load files from anywhere. files asks no server.
var (
	servers = &net.Resolver{PreferGo: true}
	files   = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("only the files of this machine are asked")
	}}
)

// resolve returns the addresses of a name. The dot at the end keeps the resolver from trying the name below the domains of this machine, and from
// finding it in /etc/hosts, which is therefore asked before.
func resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	if found, err := files.LookupNetIP(ctx, "ip", name); err == nil && len(found) > 0 {
		return found, nil
	}
	return servers.LookupNetIP(ctx, "ip", name+".")
}

func ownAddresses() []netip.Addr {
	var out []netip.Addr
	// A machine that does not name its addresses has none that could be compared.
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Addr())
		}
	}
	return out
}

// Inside holds the sockets of a namespace. The gate closes them.
type Inside struct {
	// Questions and Streams are the sockets of DNS.
	Questions *net.UDPConn
	Streams   net.Listener
	// Connections receive what is sent to any address.
	Connections []net.Listener
	// Gates is how many gates have served the namespace before. What their addresses meant is unknown, so other addresses stand for names now.
	Gates int
}

// Serve serves a namespace until the context ends.
func Serve(ctx context.Context, in Inside, rules network.Rules, out Outside, owner Owner) {
	s := newSession(rules, out, owner)
	s.before = in.Gates
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		_ = in.Questions.Close()
		_ = in.Streams.Close()
		for _, l := range in.Connections {
			_ = l.Close()
		}
	})
	defer stop()
	all.Go(func() { s.answerPackets(ctx, in.Questions) })
	all.Go(func() { accept(ctx, in.Streams, s.streams, s.answerStream) })
	for _, l := range in.Connections {
		all.Go(func() { accept(ctx, l, s.slots, s.pass) })
	}
	all.Wait()
}

// session is what the gate knows about a namespace.
type session struct {
	rules   network.Rules
	out     Outside
	reports *reports
	asks    *asks
	// before is how many gates have served the namespace.
	before int
	// slots and streams hold a value for each open connection.
	slots, streams chan struct{}

	mu sync.Mutex
	// names and hosts map names to addresses of the block, and back.
	names map[string]netip.Addr
	hosts map[netip.Addr]string
}

func newSession(rules network.Rules, out Outside, owner Owner) *session {
	return &session{
		rules: rules, out: out, reports: newReports(owner.Report), asks: &asks{ask: owner.Ask, open: map[Question]*asked{}},
		names: map[string]netip.Addr{}, hosts: map[netip.Addr]string{},
		slots: make(chan struct{}, maxConnections), streams: make(chan struct{}, maxStreams),
	}
}

// accept serves the connections of a listener until the context ends. A connection that finds no free slot waits, and those after it wait in
// the kernel.
func accept(ctx context.Context, l net.Listener, slots chan struct{}, serve func(context.Context, net.Conn)) {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			// The connection is gone already, or this process has too many open files for a moment.
			select {
			case <-time.After(tick):
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			_ = conn.Close()
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			defer func() { _ = conn.Close() }()
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			defer stop()
			serve(ctx, conn)
		})
	}
}
