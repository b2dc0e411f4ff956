package sandbox

import (
	"os"
	"slices"
	"sync"
	"time"

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
	// works is true if a process has entered a network namespace. Then the system permits them, and no process does without.
	works bool
}

// restartAfter is how long after its end the gate is started again, so that one that dies at once does not use up a processor.
const restartAfter = 200 * time.Millisecond

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
	g.visits[v], g.works = true, true
	if g.proc == nil {
		g.start()
		return
	}
	// A gate that does not take the visit is about to end, and the next one takes it.
	_ = v.join(g.control)
}

// strict returns the rules for a process: if others could be enforced before, these must be.
func (g *gate) strict(r *network.Rules) *network.Rules {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.works || !r.Lenient {
		return r
	}
	out := *r
	out.Lenient = false
	return &out
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
	if g.gate == nil && g.helper != "" {
		g.gate = &gate{program: g.helper}
	}
	p.gate = g.gate
}

// gatePorts returns the ports that the gate listens on where the kernel has no packet filter. A listener has one port, so a rule for every port
// gets the usual ones.
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
