package policy

import (
	"net"
	"strconv"

	"github.com/idelchi/aura/internal/system/network"
)

const (
	// HostTool stands for connections among the tools of approvals. No tool can have this name.
	HostTool = "sandbox.network"
	// HostRule is the rule that asks about connections.
	HostRule = "sandbox.network.ask"
)

// badHost returns why a text is not the pattern of a host.
func badHost(text string) error {
	_, err := network.ParseDeny(text)
	return err
}

// coversHost reports whether the pattern of a host stands for the host and port of the call.
func (c Call) coversHost(text string) bool {
	p, err := network.ParseDeny(text)
	if err != nil {
		return false
	}
	host, word, err := net.SplitHostPort(c.Host)
	if err != nil {
		return false
	}
	port, err := strconv.ParseUint(word, 10, 16)
	return err == nil && network.Rules{Allow: []network.Pattern{p}}.Decide(host, uint16(port)).Decision == network.Allowed
}
