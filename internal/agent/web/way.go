package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
)

// Way is how this process reaches hosts.
type Way struct {
	// Setting decides about hosts, unless Gated is set.
	Setting network.Setting
	// Gated is set if the kernel leads every connection of this process to a gate, which decides.
	Gated bool
	// Outside is the network otherwise.
	Outside netgate.Outside
}

// Dial connects to a host. Without a gate, it checks the address that it dials: the same that a gate would refuse.
func (w Way) Dial(ctx context.Context, kind, address string) (net.Conn, error) {
	if w.Gated {
		return (&net.Dialer{Resolver: &net.Resolver{PreferGo: true}}).DialContext(ctx, kind, address)
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%q is no port", text)
	}
	rules, err := w.rules(host, uint16(port))
	if err != nil {
		return nil, err
	}
	return netgate.Connect(ctx, w.Outside, rules, host, uint16(port))
}

// rules returns the rules for the addresses of a host that may be reached.
func (w Way) rules(host string, port uint16) (network.Rules, error) {
	switch {
	case w.Setting.On:
		// Nobody named a host. So the page of a stranger must not lead to this machine.
		if name, err := network.Name(host); err == nil && name == network.Localhost {
			return network.Rules{}, fmt.Errorf("localhost is this machine; to allow it, write rules in sandbox.network with \"localhost:%d\" in allow", port)
		}
		if _, err := netip.ParseAddr(host); err != nil {
			if _, err := network.Name(host); err != nil {
				return network.Rules{}, err
			}
		}
		return network.Rules{}, nil
	case w.Setting.Rules == nil:
		return network.Rules{}, errors.New("the network is off (sandbox.network)")
	}
	rules := *w.Setting.Rules
	verdict := rules.Decide(host, port)
	if verdict.Decision == network.Allowed || verdict.Decision == network.Ask && rules.Lenient {
		return rules, nil
	}
	return network.Rules{}, fmt.Errorf("the network rules refuse %s (%s). Only the user can allow it, in sandbox.network", net.JoinHostPort(host, strconv.Itoa(int(port))), verdict.Rule)
}
