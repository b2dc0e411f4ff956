//go:build !linux

package sandbox

import "github.com/idelchi/aura/internal/system/netgate"

// gate does not exist on this system.
type gate struct{}

func (*gate) close() {}

// GateMain always fails.
func GateMain(netgate.Outside) int { return 1 }
