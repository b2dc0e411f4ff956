// Package network decides which hosts a confined process may reach. It holds the rules and compares names and addresses with them; it
// opens nothing and asks nobody. What it says is final: a caller that cannot ask treats Ask as Refused.
package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Rules says which hosts may be reached. The zero value allows none.
type Rules struct {
	Allow []Pattern `json:"allow,omitempty"`
	// Deny wins over Allow, Only and every answer. An entry without a port applies to all ports.
	Deny []Pattern `json:"deny,omitempty"`
	// Ask is whether the user is asked about a host that is in no list.
	Ask bool `json:"ask,omitempty"`
	// Only holds the hosts that a plugin asked for and the user accepted. If it is not nil, no other host may be reached, and those that
	// the user would be asked about are allowed.
	Only []Pattern `json:"only,omitzero"`
	// Lenient means that every host may be reached where the system permits no namespaces and so cannot enforce rules. It is for rules that
	// nobody wrote.
	Lenient bool `json:"lenient,omitempty"`
	// Machine holds the limits of the policy of the machine. They win over everything else, and each must permit a host.
	Machine []Limit `json:"machine,omitempty"`
}

// Limit is a list of the only hosts that may be reached, without those in Deny.
type Limit struct {
	Allow []Pattern `json:"allow"`
	Deny  []Pattern `json:"deny,omitempty"`
	// Rule names the rule of the policy, for messages.
	Rule string `json:"rule"`
}

// Decision is what rules say about a connection.
type Decision int

// The values of Decision.
const (
	Refused Decision = iota
	Ask
	Allowed
)

// String returns the word for a decision in events and logs.
func (d Decision) String() string {
	switch d {
	case Allowed:
		return "allowed"
	case Ask:
		return "ask"
	default:
		return "refused"
	}
}

// Verdict is a decision and the rule that made it, in words that name the setting.
type Verdict struct {
	Decision Decision
	Rule     string
}

// Decide decides about a connection over TCP. host is a name or an address as the process gave it.
func (r Rules) Decide(host string, port uint16) Verdict {
	h, err := parseHost(host)
	if err != nil {
		return Verdict{Refused, err.Error()}
	}
	for _, l := range r.Machine {
		_, denied := find(l.Deny, h, port, true)
		if _, ok := find(l.Allow, h, port, false); denied || !ok {
			return Verdict{Refused, "the policy of this machine: " + l.Rule}
		}
	}
	if p, ok := find(r.Deny, h, port, true); ok {
		return Verdict{Refused, "deny: " + p.String()}
	}
	only, named := find(r.Only, h, port, false)
	if r.Only != nil && !named {
		return Verdict{Refused, "the plugin's network: names " + listed(r.Only)}
	}
	if p, ok := find(r.Allow, h, port, false); ok {
		return Verdict{Allowed, "allow: " + p.String()}
	}
	switch {
	case r.Ask && named:
		return Verdict{Allowed, "the plugin's network: " + only.String()}
	case h.addr.IsValid() && !Public(h.addr), h.name == Localhost:
		return Verdict{Refused, h.joined(port) + " is not public and is not in allow"}
	case r.Ask:
		return Verdict{Ask, "ask: no rule names " + h.joined(port)}
	default:
		return Verdict{Refused, "allow: " + listed(r.Allow)}
	}
}

// granted returns the patterns that decide without a question.
func (r Rules) granted() []Pattern {
	if r.Ask {
		return slices.Concat(r.Allow, r.Only)
	}
	return r.Allow
}

// Answerable reports whether a name may be reached on some port, or asked about, so that DNS may answer it.
func (r Rules) Answerable(name string) bool {
	h, err := parseHost(name)
	if err != nil || h.addr.IsValid() {
		return false
	}
	matches := func(p Pattern) bool { return p.matchesHost(h) }
	if slices.ContainsFunc(r.Deny, func(p Pattern) bool { return p.ports <= 0 && p.matchesHost(h) }) {
		return false
	}
	if r.Only != nil && !slices.ContainsFunc(r.Only, matches) {
		return false
	}
	for _, l := range r.Machine {
		if !slices.ContainsFunc(l.Allow, matches) {
			return false
		}
	}
	return slices.ContainsFunc(r.granted(), matches) || r.Ask && h.name != Localhost
}

// find returns the first pattern that matches. every makes a pattern without a port match all ports.
func find(list []Pattern, h host, port uint16, every bool) (Pattern, bool) {
	for _, p := range list {
		if p.matchesHost(h) && (p.matchesPort(port) || every && p.ports == 0) {
			return p, true
		}
	}
	return Pattern{}, false
}

// Ports holds ports on which a process may reach a host.
type Ports struct {
	// All means every port.
	All bool
	// List holds the ports otherwise, in ascending order.
	List []uint16
}

// Ports returns the ports on which some host other than this machine may be reached or asked about.
func (r Rules) Ports() Ports {
	var out Ports
	if r.Ask {
		out.List = DefaultPorts()
	}
	for _, p := range r.granted() {
		switch {
		case p.preset != "" || p.local():
		case p.ports == everyPort:
			return Ports{All: true}
		case p.ports == 0:
			out.List = append(out.List, defaultPorts...)
		default:
			out.List = append(out.List, uint16(p.ports))
		}
	}
	out.List = sorted(out.List)
	return out
}

// LocalPorts returns the ports of this machine that may be reached, in ascending order.
func (r Rules) LocalPorts() []uint16 {
	var out []uint16
	for _, p := range r.granted() {
		if p.local() {
			out = append(out, uint16(p.ports))
		}
	}
	return sorted(out)
}

// Addresses returns the addresses that may be reached without a name, except those of this machine. Decide says on which ports.
func (r Rules) Addresses() []netip.Addr {
	var out []netip.Addr
	for _, p := range r.granted() {
		if p.addr.IsValid() && !p.local() && !slices.Contains(out, p.addr) {
			out = append(out, p.addr)
		}
	}
	return out
}

func sorted(ports []uint16) []uint16 {
	slices.Sort(ports)
	return slices.Compact(ports)
}

// Presets returns the presets that the rules name, without duplicates.
func (r Rules) Presets() []string {
	var out []string
	for _, p := range slices.Concat(r.Allow, r.Only) {
		if p.preset != "" && !slices.Contains(out, p.preset) {
			out = append(out, p.preset)
		}
	}
	return out
}

// Expand returns the rules with the hosts of each preset in its place. A preset that hosts lacks stands for none.
func (r Rules) Expand(hosts map[string][]Pattern) Rules {
	r.Allow, r.Only = expand(r.Allow, hosts), expand(r.Only, hosts)
	return r
}

// FromPreset returns the preset of Allow that has a host on a port; empty if none has. hosts holds what the presets stand for.
func (r Rules) FromPreset(hosts map[string][]Pattern, name string, port uint16) string {
	h, err := parseHost(name)
	if err != nil {
		return ""
	}
	for _, p := range r.Allow {
		if _, ok := find(hosts[p.preset], h, port, false); ok && p.preset != "" {
			return p.preset
		}
	}
	return ""
}

// expand returns nil only for nil: an empty list of Only allows no host.
func expand(list []Pattern, hosts map[string][]Pattern) []Pattern {
	if list == nil {
		return nil
	}
	out := []Pattern{}
	for _, p := range list {
		stands := []Pattern{p}
		if p.preset != "" {
			stands = hosts[p.preset]
		}
		for _, host := range stands {
			if !slices.Contains(out, host) {
				out = append(out, host)
			}
		}
	}
	return out
}

// Stricter reports whether r may forbid something that other allows.
func (r Rules) Stricter(other Rules) bool {
	covered := func(list []Pattern, p Pattern) bool {
		return slices.ContainsFunc(list, func(q Pattern) bool { return q.Covers(p) })
	}
	lacks := func(mine, theirs []Pattern) bool {
		return slices.ContainsFunc(theirs, func(p Pattern) bool { return !covered(mine, p) })
	}
	return other.Ask && !r.Ask || lacks(r.Allow, other.Allow) || lacks(other.Deny, r.Deny) ||
		r.Only != nil && (other.Only == nil || lacks(r.Only, other.Only))
}

func (h host) joined(port uint16) string {
	text := h.name
	if h.addr.IsValid() {
		text = bracketed(h.addr.String())
	}
	return text + ":" + strconv.Itoa(int(port))
}

// listed returns the patterns in words, at most a few.
func listed(list []Pattern) string {
	const most = 5
	if len(list) == 0 {
		return "no host"
	}
	var words []string
	for _, p := range list[:min(most, len(list))] {
		words = append(words, p.String())
	}
	text := strings.Join(words, ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
