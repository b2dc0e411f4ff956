package machinepolicy

import (
	"slices"
	"strconv"
	"strings"
)

// Together is how the values of a key in several files act together.
type Together string

// The ways in which values act together.
const (
	// Every means that what is permitted is permitted by the list of every file that has one.
	Every Together = "the list of every file must permit it"
	// Any means that the lists of all files count together.
	Any Together = "the lists add up"
	// Strictest means that the strictest value counts.
	Strictest Together = "the strictest counts"
	// Same means that different values are a conflict.
	Same Together = "different values are a conflict"
)

// Key is a key of a policy.
type Key struct {
	// Name is the path of the key in a file, with dots.
	Name     string
	Together Together
	// Restricts says what the key restricts.
	Restricts string
	// Enforced names the function that all ways pass, as PACKAGE.FUNCTION.
	Enforced string
	// rules returns what a document says.
	rules func(*document) []Rule
}

// Table has all keys, in the order of the documentation.
var Table = []Key{
	{"version", Strictest, "which versions of aura run", "machinepolicy.Read", one("version", func(d *document) text { return d.Version })},
	{"sources", Every, "where plugins come from", "config.Signing", list("sources", func(d *document) texts { return d.Sources })},
	{"signers", Every, "who must have signed plugins", "config.Signing", list("signers", func(d *document) texts { return d.Signers })},
	{"plugins.required", Any, "plugins without which no session runs", "setup.New", plugins("plugins.required", func(d *document) []pluginEntry { return d.Plugins.Required.Value })},
	{"plugins.forbidden", Any, "plugins that are not loaded", "config.Signing", plugins("plugins.forbidden", func(d *document) []pluginEntry { return d.Plugins.Forbidden.Value })},
	{"plugins.unsafe", Strictest, "restricted packages for plugins", "config.restricted", boolean("plugins.unsafe", func(d *document) flag { return d.Plugins.Unsafe })},
	{"plugins.native", Strictest, "compiled plugins", "config.restricted", boolean("plugins.native", func(d *document) flag { return d.Plugins.Native })},
	{"plugins.python", Strictest, "extensions in Python", "setup.Catalog", boolean("plugins.python", func(d *document) flag { return d.Plugins.Python })},
	{"hooks", Strictest, "shell hooks", "config.applyMachine", boolean("hooks", func(d *document) flag { return d.Hooks })},
	{"mcp", Every, "MCP servers", "config.applyMachine", servers},
	{"providers", Every, "services that serve models", "setup.Make", providers},
	{"models", Every, "models", "setup.Make", list("models", func(d *document) texts { return d.Models })},
	{"sandbox.required", Strictest, "what runs without the sandbox", "config.restricted", boolean("sandbox.required", func(d *document) flag { return d.Sandbox.Required })},
	{"sandbox.network", Every, "hosts that tools and plugins reach", "config.restricted", networkRules},
	{"sandbox.hidden", Any, "files that nothing confined reads", "config.restricted", list("sandbox.hidden", func(d *document) texts { return d.Sandbox.Hidden })},
	{"modes", Every, "modes of a session", "config.FeaturesFor", list("modes", func(d *document) texts { return d.Modes })},
	{"approvals", Strictest, "how long approvals of tool calls count", "setup.given", one("approvals", func(d *document) text { return d.Approvals })},
	{"record", Same, "whether whole plugin calls are recorded", "config.restricted", boolean("record", func(d *document) flag { return d.Record })},
	{"telemetry", Every, "collectors that traces and metrics are sent to", "app.openTelemetry", list("telemetry", func(d *document) texts { return d.Telemetry })},
	{"sessions", Strictest, "how long saved sessions are retained", "app.retain", one("sessions", func(d *document) text { return d.Sessions })},
	{"audit", Same, "where records of what happened go", "audit.Record", func(d *document) []Rule {
		if a, ok := d.audit(); ok {
			return []Rule{a.Rule}
		}
		return nil
	}},
	{"url", Same, "where a newer policy is fetched from", "machinepolicy.Read", one("url", func(d *document) text { return d.URL })},
	{"key", Same, "who signs a policy that is fetched", "machinepolicy.Read", one("key", func(d *document) text { return d.Key })},
}

// one returns the rules of a key with one value.
func one(key string, of func(*document) text) func(*document) []Rule {
	return func(d *document) []Rule {
		v := of(d)
		if v.Line == 0 {
			return nil
		}
		return []Rule{d.rule(key, v.Line, v.Value)}
	}
}

func boolean(key string, of func(*document) flag) func(*document) []Rule {
	return func(d *document) []Rule {
		v := of(d)
		if v.Line == 0 {
			return nil
		}
		return []Rule{d.rule(key, v.Line, strconv.FormatBool(v.Value))}
	}
}

// list returns the rules of a key with a list, which is one rule.
func list(key string, of func(*document) texts) func(*document) []Rule {
	return func(d *document) []Rule {
		v := of(d)
		if v.Line == 0 {
			return nil
		}
		return []Rule{d.rule(key, v.Line, joined(v.Value))}
	}
}

func joined(of []text) string {
	var words []string
	for _, t := range of {
		words = append(words, t.Value)
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// plugins returns one rule for each plugin.
func plugins(key string, of func(*document) []pluginEntry) func(*document) []Rule {
	return func(d *document) []Rule {
		var out []Rule
		for _, e := range of(d) {
			out = append(out, d.rule(key, e.Name.Line, e.Name.Value+" from "+e.Origin.Value))
		}
		return out
	}
}

func servers(d *document) []Rule {
	if d.MCP.Line == 0 {
		return nil
	}
	var words []text
	for _, e := range d.MCP.Value {
		words = append(words, text{Value: e.Name.Value + " (" + e.Command.Value + e.URL.Value + ")"})
	}
	return []Rule{d.rule("mcp", d.MCP.Line, joined(words))}
}

func providers(d *document) []Rule {
	if d.Providers.Line == 0 {
		return nil
	}
	var words []text
	for _, e := range d.Providers.Value {
		words = append(words, text{Value: strings.TrimSpace(e.Type.Value + " " + e.URL.Value)})
	}
	return []Rule{d.rule("providers", d.Providers.Line, joined(words))}
}

func networkRules(d *document) []Rule {
	v := d.Sandbox.Network
	if v.Line == 0 {
		return nil
	}
	text := "allow " + joined(v.Value.Allow)
	if len(v.Value.Deny) > 0 {
		text += "; deny " + joined(v.Value.Deny)
	}
	return []Rule{d.rule("sandbox.network", v.Line, text)}
}

// Rules returns all rules of the policy, by file and line.
func (p *Policy) Rules() []Rule {
	var out []Rule
	for _, d := range p.all() {
		var of []Rule
		for _, key := range Table {
			of = append(of, key.rules(&d)...)
		}
		slices.SortStableFunc(of, func(a, b Rule) int { return a.Line - b.Line })
		out = append(out, of...)
	}
	return out
}

// find returns the rules of one key.
func (p *Policy) find(name string) []Rule {
	var out []Rule
	for _, r := range p.Rules() {
		if r.Key == name {
			out = append(out, r)
		}
	}
	return out
}
