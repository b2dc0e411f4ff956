package machinepolicy

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/idelchi/aura/internal/system/network"
)

// Local is the origin of a plugin that was not installed from elsewhere.
const Local = "local"

// Match reports whether a pattern, in which * stands for any text, matches a whole text. It ignores the case.
func Match(pattern, text string) bool {
	pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], more
	}
}

// matchAddress is like Match for addresses. An address whose path is not in its simplest form, or that names a user, matches no pattern but *: it
// could lead elsewhere than it seems to.
func matchAddress(pattern, address string) bool {
	if pattern == "*" {
		return true
	}
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil || u.Opaque != "" || strings.ContainsAny(address, "\\%") || u.User != nil && u.Scheme != "ssh" {
			return false
		}
		if u.Path != "" && path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") && u.Path != "/" {
			return false
		}
	}
	return Match(pattern, address) || Match(pattern, strings.TrimSuffix(address, ".git")) || Match(pattern, strings.TrimSuffix(address, "/"))
}

// allowed returns an error unless the list of each document has a text that matches.
func (p *Policy) allowed(key string, what string, of func(*document) texts, matches func(pattern string) bool) error {
	for _, d := range p.all() {
		v := of(&d)
		if v.Line != 0 && !slices.ContainsFunc(v.Value, func(t text) bool { return matches(t.Value) }) {
			return &RefusalError{What: what, Rule: d.rule(key, v.Line, joined(v.Value))}
		}
	}
	return nil
}

// denied returns an error if a document sets a flag to a value.
func (p *Policy) denied(key, what string, value bool) error {
	word := map[bool]string{true: "true", false: "false"}[value]
	for _, r := range p.find(key) {
		if r.Text == word {
			return &RefusalError{What: what, Rule: r}
		}
	}
	return nil
}

// Outdated returns an error if a version of aura is too old.
func (p *Policy) Outdated(version string) error {
	for _, d := range p.all() {
		if d.Version.Line != 0 && semver.Compare("v"+version, "v"+d.Version.Value) < 0 {
			return &RefusalError{What: "aura " + version + ": update aura", Rule: d.rule("version", d.Version.Line, "at least "+d.Version.Value)}
		}
	}
	return nil
}

// Source returns an error if plugins may not come from an address. An empty one is Local.
func (p *Policy) Source(address string) error {
	if address == "" {
		address = Local
	}
	return p.allowed("sources", "plugins from "+address, func(d *document) texts { return d.Sources }, func(pattern string) bool { return matchAddress(pattern, address) })
}

// Plugin returns an error if a plugin may not be loaded. An empty origin is Local.
func (p *Policy) Plugin(name, origin string) error {
	if err := p.forbidden(name, origin); err != nil {
		return err
	}
	return p.Source(origin)
}

// forbidden returns an error if a plugin is forbidden, wherever plugins may come from.
func (p *Policy) forbidden(name, origin string) error {
	if origin == "" {
		origin = Local
	}
	for _, d := range p.all() {
		for _, e := range d.Plugins.Forbidden.Value {
			// An origin in an unusual form must not escape a rule that forbids.
			if Match(e.Name.Value, name) && (matchAddress(e.Origin.Value, origin) || Match(e.Origin.Value, origin)) {
				return &RefusalError{What: "the plugin " + name + " from " + origin, Rule: d.rule("plugins.forbidden", e.Name.Line, e.Name.Value+" from "+e.Origin.Value)}
			}
		}
	}
	return nil
}

// Signers returns the lines of allowed signers of each document that has some, and the rules.
func (p *Policy) Signers() (lines [][]string, rules []Rule) {
	for _, d := range p.all() {
		if d.Signers.Line == 0 {
			continue
		}
		of := []string{}
		for _, t := range d.Signers.Value {
			of = append(of, t.Value)
		}
		lines, rules = append(lines, of), append(rules, d.rule("signers", d.Signers.Line, ""))
	}
	return lines, rules
}

// Requirement is a plugin without which no session runs.
type Requirement struct {
	Name, Origin string
	// Hash is the hash of the files, as in plugins.lock; empty for any.
	Hash string
	Rule Rule
}

// Meets reports whether a plugin is the one that is required.
func (r Requirement) Meets(name, origin, hash string) bool {
	if origin == "" {
		origin = Local
	}
	return r.Name == name && matchAddress(r.Origin, origin) && (r.Hash == "" || r.Hash == hash)
}

// Required returns the plugins without which no session runs.
func (p *Policy) Required() []Requirement {
	var out []Requirement
	for _, d := range p.all() {
		for _, e := range d.Plugins.Required.Value {
			out = append(out, Requirement{e.Name.Value, e.Origin.Value, e.Hash.Value, d.rule("plugins.required", e.Name.Line, e.Name.Value+" from "+e.Origin.Value)})
		}
	}
	return out
}

// Unsafe returns an error if plugins may not import restricted packages. Native, Python, Hooks and Record are like it.
func (p *Policy) Unsafe() error {
	return p.denied("plugins.unsafe", "plugins to import restricted packages", false)
}

// Native is like Unsafe.
func (p *Policy) Native() error { return p.denied("plugins.native", "compiled plugins", false) }

// Python is like Unsafe.
func (p *Policy) Python() error { return p.denied("plugins.python", "extensions in Python", false) }

// Hooks is like Unsafe.
func (p *Policy) Hooks() error { return p.denied("hooks", "shell hooks", false) }

// Record is like Unsafe.
func (p *Policy) Record() error {
	return p.denied("record", "recordings of whole plugin calls", false)
}

// MustRecord returns the rule by which whole calls of plugins are recorded, or nil.
func (p *Policy) MustRecord() error {
	return p.denied("record", "sessions without recordings of whole plugin calls", true)
}

// SandboxRequired returns the rule by which nothing runs without a sandbox, or nil.
func (p *Policy) SandboxRequired(what string) error {
	return p.denied("sandbox.required", what, true)
}

// Server returns an error if an MCP server is not permitted. line is its command line, and variables are the names of those that it is given;
// address is empty for a server with a command.
func (p *Policy) Server(name, line, address string, variables []string) error {
	for _, d := range p.all() {
		if d.MCP.Line == 0 || slices.ContainsFunc(d.MCP.Value, func(e serverEntry) bool { return e.permits(name, line, address, variables) }) {
			continue
		}
		r := servers(&d)[0]
		return &RefusalError{What: "the MCP server " + name + " (" + line + address + ")", Rule: r}
	}
	return nil
}

func (e serverEntry) permits(name, line, address string, variables []string) bool {
	if !Match(e.Name.Value, name) {
		return false
	}
	if e.URL.Value != "" {
		return address != "" && matchAddress(e.URL.Value, address)
	}
	known := func(v string) bool {
		return slices.ContainsFunc(e.Env, func(t text) bool { return t.Value == v })
	}
	return address == "" && Match(e.Command.Value, line) && !slices.ContainsFunc(variables, func(v string) bool { return !known(v) })
}

// Provider returns an error if a service is not permitted. The address is where requests go.
func (p *Policy) Provider(kind, address string) error {
	for _, d := range p.all() {
		if d.Providers.Line == 0 || slices.ContainsFunc(d.Providers.Value, func(e providerEntry) bool {
			return e.Type.Value == kind && (e.URL.Line == 0 || matchAddress(e.URL.Value, address))
		}) {
			continue
		}
		return &RefusalError{What: strings.TrimSpace("the provider " + kind + " " + address), Rule: providers(&d)[0]}
	}
	return nil
}

// Model returns an error if a model is not permitted.
func (p *Policy) Model(name string) error {
	return p.allowed("models", "the model "+name, func(d *document) texts { return d.Models }, func(pattern string) bool { return Match(pattern, name) })
}

// Mode returns an error if a mode is not permitted. "none" is no mode.
func (p *Policy) Mode(name string) error {
	return p.allowed("modes", "the mode "+name, func(d *document) texts { return d.Modes }, func(pattern string) bool { return pattern == name })
}

// LimitsModes reports whether the policy names modes, and LimitsModels whether it names models.
func (p *Policy) LimitsModes() bool { return len(p.find("modes")) > 0 }

// LimitsModels is like LimitsModes.
func (p *Policy) LimitsModels() bool { return len(p.find("models")) > 0 }

// ModesRule returns the first rule about modes, and NetworkRule the first about the network.
func (p *Policy) ModesRule() Rule { return p.first("modes") }

// NetworkRule is like ModesRule.
func (p *Policy) NetworkRule() Rule { return p.first("sandbox.network") }

func (p *Policy) first(key string) Rule {
	for _, r := range p.find(key) {
		return r
	}
	return Rule{Key: key}
}

// Collector returns an error if traces and metrics may not be sent to an address.
func (p *Policy) Collector(address string) error {
	return p.allowed("telemetry", "telemetry to "+address, func(d *document) texts { return d.Telemetry }, func(pattern string) bool { return matchAddress(pattern, address) })
}

// Limits returns the rules of the network. They are not nil if the policy has some.
func (p *Policy) Limits() []network.Limit {
	var out []network.Limit
	for _, d := range p.all() {
		if d.Sandbox.Network.Line == 0 {
			continue
		}
		if l, err := d.limit(); err == nil { // decode checked it
			out = append(out, l)
		}
	}
	return out
}

// Hidden is a list of patterns with its rule.
type Hidden struct {
	Patterns []string
	Rule     Rule
}

// Hidden returns the patterns of files that nothing confined reads.
func (p *Policy) Hidden() []Hidden {
	var out []Hidden
	for _, d := range p.all() {
		h := Hidden{Rule: d.rule("sandbox.hidden", d.Sandbox.Hidden.Line, "")}
		for _, t := range d.Sandbox.Hidden.Value {
			h.Patterns = append(h.Patterns, t.Value)
		}
		if len(h.Patterns) > 0 {
			out = append(out, h)
		}
	}
	return out
}

func approvalRank(word string) int { return slices.Index(approvalWords, word) }

// Approval returns an error if an approval may not count for a session, or for a project, as word says.
func (p *Policy) Approval(word string) error {
	for _, r := range p.find("approvals") {
		if approvalRank(word) > approvalRank(r.Text) {
			return &RefusalError{What: "approvals that count for the whole " + word, Rule: r}
		}
	}
	return nil
}

// ApprovalRules returns an error if rules of files, and hooks, may not approve calls: they count for every session, longer than any answer.
func (p *Policy) ApprovalRules() error {
	refused, ok := errors.AsType[*RefusalError](p.Approval("project"))
	if !ok {
		return nil
	}
	return &RefusalError{What: "rules and hooks by which calls run without a question (tools.policy.auto)", Rule: refused.Rule}
}

// Retention returns how long saved sessions are retained; 0 for ever.
func (p *Policy) Retention() (time.Duration, Rule) {
	var out time.Duration
	var by Rule
	for _, r := range p.find("sessions") {
		if d, err := parseDays(r.Text); err == nil && (out == 0 || d < out) {
			out, by = d, r
		}
	}
	return out, by
}
