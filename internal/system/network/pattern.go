package network

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// defaultPorts are the ports of a pattern that names none: HTTP, HTTPS, SSH, and Git's own protocol.
var defaultPorts = []uint16{22, 80, 443, 9418}

// DefaultPorts returns the ports of a pattern that names none, in ascending order.
func DefaultPorts() []uint16 { return slices.Clone(defaultPorts) }

// presetPrefix begins a pattern that stands for the hosts of a preset.
const presetPrefix = "preset:"

// Pattern is one entry of a list of hosts. It is a comparable value; the zero value matches nothing. Two patterns that match the same
// hosts and ports because they differ only in how they are written are equal.
type Pattern struct {
	// name is the canonical name; below means the names below it instead.
	name  string
	below bool
	addr  netip.Addr
	// preset is the name of a preset. The other fields are empty then.
	preset string
	ports  portSet
}

// portSet is what a pattern says about ports: 0 stands for no port, everyPort for all, another number for that port.
type portSet int32

const everyPort portSet = -1

// Parse reads a pattern: a name, *. before a name, or an address, each with an optional port; or preset: with the name of a preset.
func Parse(s string) (Pattern, error) {
	if preset, ok := strings.CutPrefix(s, presetPrefix); ok {
		if !slices.Contains(presets, preset) {
			return Pattern{}, fmt.Errorf("%q is not a preset; write one of preset:%s", shortened(s), strings.Join(presets, ", preset:"))
		}
		return Pattern{preset: preset}, nil
	}
	host, port, err := split(s)
	if err != nil {
		return Pattern{}, err
	}
	p := Pattern{}
	if p.ports, err = parsePorts(s, port); err != nil {
		return Pattern{}, err
	}
	if err := p.parseHost(s, host); err != nil {
		return Pattern{}, err
	}
	if p.local() && p.ports <= 0 {
		return Pattern{}, fmt.Errorf("%q names no port of this machine; write one port, such as %s:5432", shortened(s), bracketed(host))
	}
	return p, nil
}

// local reports whether the pattern is about this machine's own ports.
func (p Pattern) local() bool { return p.name == Localhost && !p.below || p.addr.IsLoopback() }

// split separates the port. An address of IPv6 with a port is in brackets.
func split(s string) (host, port string, err error) {
	switch {
	case s == "":
		return "", "", errors.New("an empty host; write a name such as api.example.com, or remove the entry")
	case strings.Contains(s, "://"):
		return "", "", fmt.Errorf("%q is a URL; write its host and port only, such as api.example.com:443", shortened(s))
	case strings.ContainsAny(s, "/@?#"):
		return "", "", fmt.Errorf("%q has more than a host and a port; write only these, such as api.example.com:443. A range of addresses cannot be written", shortened(s))
	case strings.HasPrefix(s, "["):
		host, rest, ok := strings.Cut(s[1:], "]")
		if port, colon := strings.CutPrefix(rest, ":"); ok && (colon || rest == "") {
			if _, err := netip.ParseAddr(host); err != nil || !strings.Contains(host, ":") {
				return "", "", fmt.Errorf("%q has brackets around something that is not an address of IPv6; write one such as [2001:db8::1]:443", shortened(s))
			}
			if colon && port == "" {
				return "", "", badPort(s)
			}
			return host, port, nil
		}
		return "", "", fmt.Errorf("%q is not an address in brackets; write one such as [2001:db8::1]:443", shortened(s))
	case strings.Count(s, ":") > 1:
		return s, "", nil
	}
	host, port, colon := strings.Cut(s, ":")
	if colon && port == "" {
		return "", "", badPort(s)
	}
	return host, port, nil
}

func badPort(s string) error {
	return fmt.Errorf("%q has no valid port; write a number from 1 to 65535, * for all ports, or leave out the colon", shortened(s))
}

func parsePorts(s, port string) (portSet, error) {
	switch port {
	case "":
		return 0, nil
	case "*":
		return everyPort, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || port[0] == '0' || port[0] == '+' {
		return 0, badPort(s)
	}
	return portSet(n), nil
}

func (p *Pattern) parseHost(s, host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return fmt.Errorf("%q names an interface after the %%; write the address alone", shortened(s))
		}
		if p.addr = addr.Unmap(); p.addr.IsUnspecified() {
			return fmt.Errorf("%q stands for every address of this machine; write localhost and a port, such as localhost:5432", shortened(s))
		}
		return nil
	}
	name, below := strings.CutPrefix(host, "*.")
	if strings.Contains(name, "*") {
		return fmt.Errorf(`%q has a * that is not *. at its beginning; write a name, or "*.example.org" for all names below example.org. For every host write sandbox.network: on`, shortened(s))
	}
	if strings.Contains(host, ":") {
		return fmt.Errorf("%q has several colons; write an address of IPv6 in brackets, such as [2001:db8::1]:443", shortened(s))
	}
	name, err := Name(name)
	if err != nil {
		return err
	}
	p.name, p.below = name, below
	return nil
}

// String returns the pattern in its canonical form, which Parse reads.
func (p Pattern) String() string {
	host := p.name
	switch {
	case p.preset != "":
		return presetPrefix + p.preset
	case p.addr.IsValid():
		host = bracketed(p.addr.String())
	case p.below:
		host = "*." + p.name
	}
	switch p.ports {
	case 0:
		return host
	case everyPort:
		return host + ":*"
	default:
		return host + ":" + strconv.Itoa(int(p.ports))
	}
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// Preset returns the name of the preset that the pattern stands for; empty if it stands for hosts itself.
func (p Pattern) Preset() string { return p.preset }

// MarshalText returns the canonical form.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a pattern.
func (p *Pattern) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// Covers reports whether every host and port that other matches is matched by p.
func (p Pattern) Covers(other Pattern) bool {
	if p.preset != "" || other.preset != "" {
		return p.preset == other.preset
	}
	switch {
	case p.addr != other.addr:
		return false
	case p.addr.IsValid():
	case p.below && !other.below && !within(other.name, p.name),
		p.below && other.below && other.name != p.name && !within(other.name, p.name),
		!p.below && (other.below || other.name != p.name):
		return false
	}
	if p.ports == everyPort || p.ports == other.ports {
		return true
	}
	return p.ports == 0 && other.ports > 0 && slices.Contains(defaultPorts, uint16(other.ports))
}

// within reports whether a name is below another.
func within(name, top string) bool { return strings.HasSuffix(name, "."+top) }

// host is a canonical name or an address.
type host struct {
	name string
	addr netip.Addr
}

func parseHost(s string) (host, error) {
	if addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")); err == nil {
		return host{addr: addr.Unmap().WithZone("")}, nil
	}
	name, err := Name(s)
	return host{name: name}, err
}

// matchesHost reports whether the pattern matches a host on some port.
func (p Pattern) matchesHost(h host) bool {
	switch {
	case h.addr.IsValid() || p.addr.IsValid():
		return h.addr == p.addr
	case p.name == "":
		return false
	case p.below:
		return within(h.name, p.name)
	default:
		return h.name == p.name
	}
}

func (p Pattern) matchesPort(port uint16) bool {
	switch p.ports {
	case everyPort:
		return true
	case 0:
		return slices.Contains(defaultPorts, port)
	default:
		return p.ports == portSet(port)
	}
}
