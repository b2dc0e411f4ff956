package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/network"
)

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
	// talk is the connection to the gate; nil before the first one.
	talk *talk
	// gates is how many processes of the gate the visit was connected to.
	gates   int
	traffic *Traffic
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
	v.use(p.traffic)
	p.Hosts = p.gate.strict(p.Hosts)
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

// use says whose the process is. Before the process runs code of a call, it may be anybody's.
func (v *Visit) use(t *Traffic) {
	if v == nil {
		return
	}
	if t == nil {
		t = NewTraffic(Observer{})
	}
	v.mu.Lock()
	before := v.traffic
	v.traffic = t
	v.mu.Unlock()
	if before != nil {
		before.leave(v)
	}
	t.enter(v)
}

func (v *Visit) user() *Traffic {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.traffic
}

// Close ends the visit. Its traffic then has all events. All processes in the namespace must have ended.
func (v *Visit) Close() {
	if v == nil {
		return
	}
	v.Sent()
	_ = unix.Shutdown(int(v.ours.Fd()), unix.SHUT_RDWR)
	<-v.received
	_ = v.ours.Close()
	v.gate.remove(v)
	v.mu.Lock()
	v.closed = true
	last := v.talk
	v.mu.Unlock()
	last.end()
	v.mu.Lock()
	closeFiles(v.sockets)
	v.sockets = nil
	v.mu.Unlock()
	v.user().leave(v)
}

// drain handles what the gate has sent so far.
func (v *Visit) drain() {
	v.mu.Lock()
	current := v.talk
	v.mu.Unlock()
	if current != nil {
		current.drain()
	}
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
		err = json.NewEncoder(ours).Encode(orders{v.rules, v.gates})
	}
	if err != nil || v.closed {
		_ = ours.Close()
		return err
	}
	if v.talk != nil {
		v.talk.drop()
	}
	v.talk, v.gates = newTalk(v, ours), v.gates+1
	return nil
}
