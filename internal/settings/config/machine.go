package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/supply/signature"
	"github.com/idelchi/aura/internal/system/hidden"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/network"
)

// machine returns the policy of this machine. Every configuration has it, whoever loads the configuration.
func (o Options) machine() (*machinepolicy.Policy, error) {
	p := o.Machine
	if p == nil {
		var err error
		if p, err = machinepolicy.Read(); err != nil {
			return nil, err
		}
	}
	return p, CheckMachine(p)
}

// CheckMachine returns an error if a policy has values that only upper packages understand, and they are wrong.
func CheckMachine(p *machinepolicy.Policy) error {
	if _, _, err := machineSigners(p); err != nil {
		return &machinepolicy.Error{Err: err}
	}
	return nil
}

// applyMachine removes from the configuration what the policy of the machine does not permit. It is the last step of loading, so that it sees what
// every file, package and editor adds.
func (c *Config) applyMachine(text bool) {
	if c.Machine.Empty() {
		return
	}
	c.Hooks, c.MCPServers = maps.Clone(c.Hooks), maps.Clone(c.MCPServers)
	for _, name := range slices.Sorted(maps.Keys(c.Hooks)) {
		h := c.Hooks[name]
		err := c.Machine.Hooks()
		if h.Unconfined {
			err = cmp.Or(err, c.Machine.SandboxRequired("shell hooks without the sandbox"))
		}
		if err != nil {
			delete(c.Hooks, name)
			c.refuse("the hook %q of %s is left out: %w", name, h.Source.File, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		// A text has variables that no rule can be compared with. It is only shown.
		if s := c.MCPServers[name]; !text {
			if err := c.permitServer(s); err != nil {
				delete(c.MCPServers, name)
				c.refuse("the MCP server %q of %s is left out: %w", name, s.Source.File, err)
			}
		}
	}
	for _, err := range c.Features.refused {
		c.refuse("%w", err)
	}
}

// refuse reports something that the policy of the machine does not permit.
func (c *Config) refuse(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	c.Refused = append(c.Refused, err)
	c.Notices = append(c.Notices, err.Error())
}

func (c *Config) permitServer(s MCPServer) error {
	if s.Type == MCPHTTP {
		return c.Machine.Server(s.Name, "", s.URL, nil)
	}
	if err := c.Machine.Server(s.Name, s.CommandLine(), "", slices.Sorted(maps.Keys(s.Env))); err != nil {
		return err
	}
	if s.Unconfined() {
		return c.Machine.SandboxRequired("MCP servers without the sandbox")
	}
	return nil
}

// CommandLine returns the command and the arguments of a server, as the policy of the machine names them.
func (s MCPServer) CommandLine() string {
	words := []string{s.Command}
	for _, arg := range s.Args {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"") {
			arg = strconv.Quote(arg)
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// Restricted is the policy of this machine, which restricts what all files and flags set.
type Restricted struct {
	Machine *machinepolicy.Policy
	// Refused has what the policy does not permit of the files that were read.
	Refused []error
}

// unlimited returns the features of the homes. The sandbox is as they set it, so that limited finds out who disables it.
func (c *Config) unlimited() Features {
	f := c.Features
	if c.Machine.SandboxRequired("") != nil {
		set := c.globals.features.Sandbox
		f.Sandbox.Enabled, f.Sandbox.Required = set.Enabled, set.Required
	}
	return f
}

// limited returns features that the policy of the machine permits. Features.Refused returns what it changed. It changes nothing if it is called again.
func (c *Config) limited(f Features) Features {
	p := c.Machine
	if p.Empty() {
		return f
	}
	refuse := func(set bool, err error) bool {
		return set && f.refuse(err)
	}
	f.Plugins.Unsafe = f.Plugins.Unsafe && !refuse(f.Plugins.Unsafe, p.Unsafe())
	f.Plugins.Native = f.Plugins.Native && !refuse(f.Plugins.Native, p.Native())
	f.Record.Enabled = f.Record.Enabled && !refuse(f.Record.Enabled, p.Record())
	if p.MustRecord() != nil {
		f.Record.Enabled = true
	}
	if err := p.SandboxRequired("tools and plugins without the sandbox"); err != nil {
		refuse(!f.Sandbox.Enabled, err)
		f.Sandbox.Enabled, f.Sandbox.Required = true, true
	}
	// By the socket of Docker, for example, a command runs others without the sandbox.
	f.Sandbox.UnixSockets = f.Sandbox.UnixSockets && !refuse(f.Sandbox.UnixSockets, p.SandboxRequired("Unix sockets of other programs (sandbox.unix_sockets)"))
	if err := p.SandboxRequired("a command for the status line, which runs without the sandbox (screen.status)"); refuse(f.Screen.Status != "", err) {
		f.Screen.Status = ""
	}
	if refuse(len(f.Tools.Policy.Auto) > 0, p.ApprovalRules()) {
		f.Tools.Policy.Auto = nil
	}
	for _, h := range p.Hidden() {
		layer := hidden.Layer{Source: h.Rule.String(), Patterns: h.Patterns, Everywhere: true}
		if !slices.ContainsFunc(f.Sandbox.Layers, func(l hidden.Layer) bool { return l.Source == layer.Source }) {
			f.Sandbox.Layers = append(slices.Clip(f.Sandbox.Layers), layer)
		}
	}
	if limits := p.Limits(); len(limits) > 0 {
		refuse(f.Sandbox.Network.On, &machinepolicy.RefusalError{What: "the whole network (sandbox.network: on)", Rule: p.NetworkRule()})
		f.Sandbox.Network = f.Sandbox.Network.within(limits)
		refuse(f.Sandbox.UnixSockets, &machinepolicy.RefusalError{What: "Unix sockets of other programs (sandbox.unix_sockets)", Rule: p.NetworkRule()})
		f.Sandbox.UnixSockets = false
		if at := f.Tools.Search.SearXNG; at != "" && !reachable(limits, at) {
			refuse(true, &machinepolicy.RefusalError{What: "searches at " + at + " (tools.search.searxng)", Rule: p.NetworkRule()})
			f.Tools.Search.SearXNG = ""
		}
	}
	return f
}

// refuse adds what the policy of the machine does not permit, once, and reports whether there is something.
func (f *Features) refuse(err error) bool {
	if err == nil {
		return false
	}
	if !slices.ContainsFunc(f.refused, func(known error) bool { return known.Error() == err.Error() }) {
		f.refused = append(slices.Clip(f.refused), err)
	}
	return true
}

// reachable reports whether the host of an address is within the limits of the policy of the machine.
func reachable(limits []network.Limit, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	port := uint64(443)
	if u.Scheme == "http" {
		port = 80
	}
	if text := u.Port(); text != "" {
		if port, err = strconv.ParseUint(text, 10, 16); err != nil {
			return false
		}
	}
	return network.Rules{Allow: limits[0].Allow, Machine: limits}.Decide(u.Hostname(), uint16(port)).Decision != network.Refused
}

// within returns the setting within the limits of the policy of the machine. Of a setting that allows every host, the hosts that the limits allow remain.
func (n Network) within(limits []network.Limit) Network {
	rules := network.Rules{Allow: limits[0].Allow}
	switch {
	case n.Rules != nil:
		rules = *n.Rules
	case !n.On:
		return n
	}
	rules.Lenient, rules.Machine = false, limits
	n.On, n.Rules = false, &rules
	return n
}

// permitMode returns an error if the policy of the machine does not permit a mode. A file cannot lend a mode of its own the name of a built-in one
// that is permitted.
func (c *Config) permitMode(m Mode) error {
	if m.Name == "" || !c.Machine.LimitsModes() {
		return nil
	}
	if len(m.made) > 0 && slices.Contains(builtinModes, m.Name) && m.made.own().Home.Kind != HomeBuiltin {
		return &machinepolicy.RefusalError{What: "a file with the name of a built-in mode (" + m.made.own().File + ")", Rule: c.Machine.ModesRule()}
	}
	return c.Machine.Mode(m.Name)
}

// PermitModeOf returns an error if a session may not work in a mode, or in none.
func (c *Config) PermitModeOf(m Mode) error {
	if m.Name == "" {
		return c.Machine.Mode(NoMode)
	}
	return c.permitMode(m)
}

// UsualModeWithin returns a mode if the policy of the machine permits it, and otherwise the first that it permits. NoMode, or an empty name, is no mode.
func (c *Config) UsualModeWithin(name string) string {
	if c.PermitModeOf(c.Modes[name]) == nil {
		return name
	}
	for _, other := range c.ModeNames() {
		if c.permitMode(c.Modes[other]) == nil {
			return other
		}
	}
	return name // setup refuses it with the rule
}

// machineSigners returns the signers that the policy of the machine permits: those that every file that names some has. ok is false if no file does.
func machineSigners(p *machinepolicy.Policy) (out []signature.Signer, ok bool, err error) {
	lines, rules := p.Signers()
	for i, of := range lines {
		list, err := signature.ParseAllowed(rules[i].File, []byte(strings.Join(of, "\n")))
		if err != nil {
			return nil, true, fmt.Errorf("key \"signers\" (%s:%d): %w", rules[i].File, rules[i].Line, err)
		}
		if len(list) != len(of) {
			return nil, true, fmt.Errorf("%s:%d: key \"signers\": an entry is no line of allowed signers", rules[i].File, rules[i].Line)
		}
		if i > 0 {
			list = slices.DeleteFunc(list, func(s signature.Signer) bool {
				return !slices.ContainsFunc(out, func(other signature.Signer) bool { return other.Fingerprint == s.Fingerprint })
			})
		}
		out = list
	}
	return out, len(lines) > 0, nil
}

// machineSigning restricts what holds for a source by the policy of the machine.
func (c *Config) machineSigning(source string, of signature.Policy) signature.Policy {
	if c.Machine.Empty() {
		return of
	}
	of.Refused = c.Machine.Source(source)
	of.Permit = func(name string) error { return c.Machine.Plugin(name, source) }
	signers, ok, err := machineSigners(c.Machine)
	if err != nil {
		of.Refused = errors.Join(of.Refused, err)
	}
	if ok {
		of.Rule, of.Allowed = signature.Required, signers
	}
	return of
}
