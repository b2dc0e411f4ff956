package network

import (
	"fmt"
	"net/netip"
	"slices"
)

// CheckAddress checks the address that a host's name led to, before it is dialled. Addresses that are not public, and this machine's
// own, are refused, unless Allow has them as an address, or the host is localhost and the address is a loopback one. Decide must have
// allowed the host on the port, or the user.
func (r Rules) CheckAddress(name string, at netip.AddrPort, own []netip.Addr) error {
	h, err := parseHost(name)
	if err != nil {
		return err
	}
	addr := at.Addr().Unmap().WithZone("")
	target := host{addr: addr}
	if p, ok := find(r.Deny, target, at.Port(), true); ok {
		return fmt.Errorf("%s leads to %s: deny: %s", h.joined(at.Port()), addr, p)
	}
	switch {
	case h.name == Localhost:
		if addr.IsLoopback() {
			return nil
		}
		return fmt.Errorf("localhost leads to %s, which is not an address of this machine's loopback", addr)
	case h.addr.IsValid() && h.addr != addr:
		return fmt.Errorf("%s is not %s", addr, h.addr)
	}
	if r.written(target, at.Port()) {
		return nil
	}
	reason := "which is not a public address"
	switch {
	case !Public(addr):
	case slices.ContainsFunc(own, func(o netip.Addr) bool { return o.Unmap().WithZone("") == addr }):
		reason = "which is an address of this machine"
	default:
		return nil
	}
	return fmt.Errorf("%s leads to %s, %s; to allow it, add %q to sandbox.network.allow", h.joined(at.Port()), addr, reason, target.joined(at.Port()))
}

// written reports whether an address is allowed as an address. A plugin must name it too.
func (r Rules) written(addr host, port uint16) bool {
	_, allowed := find(r.granted(), addr, port, false)
	_, named := find(r.Only, addr, port, false)
	return allowed && (r.Only == nil || named)
}

// notPublic lists the addresses that are not reachable from everywhere (the IANA registries of special-purpose addresses), those of
// multicast, and one in the public space that the hosts of a cloud answer themselves.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32",
	// Below 2000::/3: protocol assignments with Teredo, documentation, 6to4.
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	// unicast is the part of IPv6 that is assigned to hosts everywhere.
	unicast = netip.MustParsePrefix("2000::/3")
	// nat64 holds addresses of IPv4 in their last four bytes.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

// Public reports whether an address belongs to the public internet. An address of IPv4 within one of IPv6 counts as the former.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		bytes := addr.As16()
		addr = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	if !addr.IsValid() || addr.Is6() && !unicast.Contains(addr) {
		return false
	}
	return !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(addr) })
}
