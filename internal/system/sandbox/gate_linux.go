package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/process"
)

// gate is the process that leads confined processes with rules to the network. It is started when it is needed, and again when it dies.
type gate struct {
	program string

	mu sync.Mutex
	// proc is nil if the process does not run. control carries the connections of visits to it.
	proc    *process.Process
	control *os.File
	visits  map[*Visit]bool
	closed  bool
}

// restartAfter is how long after its end the gate is started again, so that one that dies at once does not use up a processor.
const restartAfter = 200 * time.Millisecond

// maxRefused is how many refusals are kept for a process.
const maxRefused = 64

// endingTime is how long the gate may take to report what it has seen when a process has ended.
const endingTime = 2 * time.Second

// Visit is what aura knows of the network of a confined process. Its sockets stay open here, so that a new gate can serve them.
type Visit struct {
	gate  *gate
	rules network.Rules
	// theirs is the end of the connection on which the process sends its sockets; ours is the other end.
	theirs, ours *os.File
	// received is closed when the process has sent its sockets, or never will.
	received chan struct{}

	mu      sync.Mutex
	sockets []*os.File
	// talk is the connection to the gate, and silent is closed when the gate has ended it. Both are nil before the first connection.
	talk   *os.File
	silent chan struct{}
	// refused holds what was refused, and what could not be reached.
	refused []netgate.Event
	closed  bool
}

// Connect returns the policy for one process. If the policy has rules for the network, the process gets a connection on which it sends
// its sockets. The caller must call Sent when the process has its files, and Close when it has ended; both work on nil.
func (p Policy) Connect() (Policy, *Visit, error) {
	if !p.Gated || p.gate == nil || p.Hosts == nil {
		return p, nil, nil
	}
	theirs, ours, err := connection()
	if err == nil {
		err = unix.SetNonblock(int(ours.Fd()), false) // Fd has done so already
	}
	if err != nil {
		return p, nil, fmt.Errorf("connecting to the network: %w", err)
	}
	v := &Visit{gate: p.gate, rules: *p.Hosts, theirs: theirs, ours: ours, received: make(chan struct{})}
	p.Pinned, p.files = append(slices.Clip(p.Pinned), gatePin), append(slices.Clip(p.files), theirs)
	go v.receive()
	return p, v, nil
}

// Sent closes this process's copy of what the confined process got.
func (v *Visit) Sent() {
	if v != nil {
		_ = v.theirs.Close()
	}
}

// receive waits for the sockets and passes them to the gate.
func (v *Visit) receive() {
	defer close(v.received)
	sockets, err := receiveFiles(int(v.ours.Fd()))
	if err != nil || len(sockets) == 0 {
		closeFiles(sockets)
		return // the process has no network; its report says why
	}
	v.mu.Lock()
	v.sockets = sockets
	v.mu.Unlock()
	v.gate.add(v)
}

// Close ends the visit and returns what was refused. All processes in the namespace must have ended.
func (v *Visit) Close() []netgate.Event {
	if v == nil {
		return nil
	}
	v.Sent()
	_ = unix.Shutdown(int(v.ours.Fd()), unix.SHUT_RDWR)
	<-v.received
	_ = v.ours.Close()
	v.gate.remove(v)
	v.mu.Lock()
	v.closed = true
	talk, silent := v.talk, v.silent
	v.mu.Unlock()
	if talk != nil {
		_ = shutdownWrite(talk)
		select {
		case <-silent:
		case <-time.After(endingTime):
		}
		_ = talk.Close()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	closeFiles(v.sockets)
	v.sockets = nil
	return v.refused
}

func shutdownWrite(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = unix.Shutdown(int(fd), unix.SHUT_WR) })
	return errors.Join(err, failed)
}

// add connects a visit to the gate.
func (g *gate) add(v *Visit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	if g.visits == nil {
		g.visits = map[*Visit]bool{}
	}
	g.visits[v] = true
	if g.proc == nil {
		g.start()
		return
	}
	// A gate that does not take the visit is about to end, and the next one takes it.
	_ = v.join(g.control)
}

func (g *gate) remove(v *Visit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.visits, v)
}

// start starts the process and connects all visits. If it cannot be started, it is tried again while somebody needs it. The caller must
// hold the lock.
func (g *gate) start() {
	if g.closed || g.proc != nil || len(g.visits) == 0 {
		return
	}
	theirs, ours, err := connection()
	if err == nil {
		g.proc, err = process.Start(process.Spec{
			Path: g.program, Args: []string{processName, GateArgument}, Dir: "/", Env: []string{}, Stdin: theirs,
			Isolation: process.SharedNamespaces,
		})
		_ = theirs.Close()
	}
	if err != nil {
		g.proc = nil
		if ours != nil {
			_ = ours.Close()
		}
		time.AfterFunc(restartAfter, g.again)
		return
	}
	g.control = ours
	go g.await(g.proc, ours)
	for v := range g.visits {
		_ = v.join(ours)
	}
}

func (g *gate) again() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.start()
}

// await waits for the end of the process, and starts the next one.
func (g *gate) await(p *process.Process, control *os.File) {
	<-p.Exited()
	_ = control.Close()
	g.mu.Lock()
	g.proc, g.control = nil, nil
	g.mu.Unlock()
	time.AfterFunc(restartAfter, g.again)
}

// openGate prepares a policy that has rules for the network.
func (g *Grants) openGate(p *Policy) {
	if p.Network || p.Hosts == nil {
		return
	}
	p.Gated, p.Ports, p.LocalPorts = true, gatePorts(*p.Hosts), p.Hosts.LocalPorts()
	if p.Hosts.Ports().All {
		p.addUncovered(fmt.Sprintf("sandbox.network: an entry with :* is reached on these ports only: %v; write another port out", p.Ports))
	}
	if g.gate == nil && g.helper != "" {
		g.gate = &gate{program: g.helper}
	}
	p.gate = g.gate
}

// gatePorts returns the ports that the gate listens on. A listener has one port, so a rule for every port gets the usual ones.
func gatePorts(r network.Rules) []uint16 {
	ports := r.Ports()
	if !ports.All {
		return ports.List
	}
	out := network.DefaultPorts()
	for _, p := range slices.Concat(r.Allow, r.Only) {
		out = append(out, network.Rules{Allow: []network.Pattern{p}}.Ports().List...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// close ends the process.
func (g *gate) close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	g.closed = true
	p := g.proc
	g.mu.Unlock()
	if p != nil {
		p.Kill()
		<-p.Exited()
	}
}

// join connects the visit to a gate's process: the process gets a connection, then on it the sockets and the rules, and answers with
// events until the visit ends.
func (v *Visit) join(control *os.File) error {
	theirs, ours, err := connection()
	if err != nil {
		return err
	}
	err = sendFiles(control, []*os.File{theirs})
	_ = theirs.Close()
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		err = sendFiles(ours, v.sockets)
	}
	if err == nil {
		err = json.NewEncoder(ours).Encode(v.rules)
	}
	if err != nil || v.closed {
		_ = ours.Close()
		return err
	}
	if v.talk != nil {
		_ = v.talk.Close()
	}
	v.talk, v.silent = ours, make(chan struct{})
	go v.listen(ours, v.silent)
	return nil
}

// listen reads events until the gate closes the connection.
func (v *Visit) listen(from *os.File, silent chan struct{}) {
	defer close(silent)
	in := json.NewDecoder(from)
	for {
		var e netgate.Event
		if in.Decode(&e) != nil {
			return
		}
		v.mu.Lock()
		if (!e.Allowed || e.Address == "") && len(v.refused) < maxRefused {
			v.refused = append(v.refused, e)
		}
		v.mu.Unlock()
	}
}
