//go:build !linux

package sandbox

import "github.com/idelchi/aura/internal/system/netgate"

// gate does not exist on this system.
type gate struct{}

func (*gate) close() {}

// Visit does not exist on this system.
type Visit struct{}

// Connect returns the policy unchanged.
func (p Policy) Connect() (Policy, *Visit, error) { return p, nil, nil }

// Sent does nothing.
func (*Visit) Sent() {}

// Close does nothing.
func (*Visit) Close() {}

func (*Visit) drain() {}

// GateMain always fails.
func GateMain(netgate.Outside) int { return 1 }
