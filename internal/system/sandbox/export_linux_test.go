package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// NoFilter is a variable of the environment with which a confined process finds no packet filter in the kernel.
const NoFilter = "AURA_TEST_NO_PACKET_FILTER=1"

func init() {
	if os.Getenv("AURA_TEST_NO_PACKET_FILTER") != "" {
		redirect = func(uint16) error { return unix.EPROTONOSUPPORT }
	}
}

// TakesConfined waits until the processes for the next calls are ready. It reports whether a call would get one that is confined, and ends it.
func (s *Spares) TakesConfined(c Command) bool {
	s.starting.Wait()
	p := s.takeSpare(c)
	if p == nil {
		return false
	}
	defer p.finish()
	return p.report != nil
}

// AwaitSpares waits until the processes for the next calls are ready.
func (s *Spares) AwaitSpares() { s.starting.Wait() }

// KillGate kills the gate of an opened policy and waits for its end. It reports whether there was one.
func (p Policy) KillGate() bool {
	p.gate.mu.Lock()
	proc := p.gate.proc
	p.gate.mu.Unlock()
	if proc == nil {
		return false
	}
	proc.Kill()
	<-proc.Exited()
	return true
}

// ConfineGate confines this process as the gate is.
var ConfineGate = confineGate

// Gate returns the number of the process of the gate; 0 if there is none.
func (p Policy) Gate() int {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	if p.gate.proc == nil {
		return 0
	}
	return p.gate.proc.Pid()
}

// RouteToSelf makes every address of IPv4 one of this network namespace.
var RouteToSelf = routeToSelf
