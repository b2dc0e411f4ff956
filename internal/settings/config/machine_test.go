package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/signature"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/network"
)

// machineOf returns a policy of the machine.
func machineOf(t *testing.T, text string) *machinepolicy.Policy {
	t.Helper()
	p, err := machinepolicy.Parse("/etc/aura/policy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// widened are the settings of features by which somebody tries to do what a policy does not permit.
var widened = map[string]struct {
	policy  string
	setting string
	// got reports whether the features have what the setting asks for.
	got func(f config.Features) bool
	// silent is set if nothing is refused: the setting has only no effect.
	silent bool
}{
	"plugins.unsafe":   {"plugins: {unsafe: false}", "plugins: {unsafe: true}", func(f config.Features) bool { return f.Plugins.Unsafe }, false},
	"plugins.native":   {"plugins: {native: false}", "plugins: {native: true}", func(f config.Features) bool { return f.Plugins.Native }, false},
	"record off":       {"record: false", "record: {enabled: true}", func(f config.Features) bool { return f.Record.Enabled }, false},
	"record on":        {"record: true", "record: {enabled: false}", func(f config.Features) bool { return !f.Record.Enabled }, true},
	"sandbox.required": {"sandbox: {required: true}", "sandbox: {enabled: false}", func(f config.Features) bool { return !f.Sandbox.Enabled || !f.Sandbox.Required }, false},
	"network on":       {"sandbox: {network: {allow: [a.com]}}", "sandbox: {network: on}", func(f config.Features) bool { return reaches(f, "b.com") }, false},
	"network rules":    {"sandbox: {network: {allow: [a.com]}}", "sandbox: {network: {allow: [b.com], ask: true}}", func(f config.Features) bool { return reaches(f, "b.com") }, true},
	"unix sockets":     {"sandbox: {required: true}", "sandbox: {unix_sockets: true}", func(f config.Features) bool { return f.Sandbox.UnixSockets }, false},
	"sockets to hosts": {"sandbox: {network: {allow: [a.com]}}", "sandbox: {unix_sockets: true}", func(f config.Features) bool { return f.Sandbox.UnixSockets }, false},
	"search":           {"sandbox: {network: {allow: [a.com]}}", "tools: {search: {searxng: 'https://b.com'}}", func(f config.Features) bool { return f.Tools.Search.SearXNG != "" }, false},
	"search by port":   {"sandbox: {network: {allow: ['a.com:443']}}", "tools: {search: {searxng: 'http://a.com:8080'}}", func(f config.Features) bool { return f.Tools.Search.SearXNG != "" }, false},
	"status line":      {"sandbox: {required: true}", "screen: {status: date}", func(f config.Features) bool { return f.Screen.Status != "" }, false},
	"approving rules":  {"approvals: session", "tools: {policy: {auto: ['*']}}", func(f config.Features) bool { return len(f.Tools.Policy.Auto) > 0 }, false},
	"approved once":    {"approvals: once", "tools: {policy: {auto: [Write]}}", func(f config.Features) bool { return len(f.Tools.Policy.Auto) > 0 }, false},
	"hidden":           {"sandbox: {hidden: [secret]}", "sandbox: {hidden: ['!secret']}", func(f config.Features) bool { return !hides(f) }, true},
}

func reaches(f config.Features, host string) bool {
	n := f.Sandbox.Network
	return n.On || n.Rules != nil && n.Rules.Decide(host, 443).Decision != network.Refused
}

func hides(f config.Features) bool {
	for _, l := range f.Sandbox.Layers {
		if len(l.Patterns) == 1 && l.Patterns[0] == "secret" && !l.Own {
			return true
		}
	}
	return false
}

// TestMachineFeatures tries to widen each rule in each place where features can be set. The same setting takes effect without a policy.
func TestMachineFeatures(t *testing.T) {
	t.Parallel()
	for name, row := range widened {
		markdown := "---\nname: a\nfeatures: {" + row.setting + "}\n---\n"
		for place, f := range map[string]files{
			"home":    {user + "features/x.yaml": row.setting},
			"project": {project + "features/x.yaml": row.setting},
			"agent":   {project + "agents/a.md": markdown},
			"mode":    {project + "modes/a.md": markdown},
			"task":    {project + "tasks/a.yaml": "a: {features: {" + row.setting + "}}"},
		} {
			if name == "status line" && place != "home" {
				continue // a setting of the user alone
			}
			t.Run(name+"/"+place, func(t *testing.T) {
				t.Parallel()
				for policy, want := range map[string]bool{row.policy: false, "version: 0.0.1": name != "hidden"} {
					o := f.options(t)
					o.Machine = machineOf(t, policy)
					c := load(t, o)
					task := c.Tasks["a"]
					got, err := c.FeaturesFor(c.Agents["a"], c.Modes["a"], &task)
					if err != nil {
						t.Fatal(err)
					}
					if policy != "version: 0.0.1" && row.got(got) != want {
						t.Errorf("%s in the %s widens %q", row.setting, place, policy)
					}
					if name != "hidden" && policy == "version: 0.0.1" && !row.got(got) {
						t.Errorf("%s in the %s has no effect without a policy", row.setting, place)
					}
					if refused := fmt.Sprint(got.Refused()); policy == row.policy && !row.silent && !strings.Contains(refused, "(/etc/aura/policy.yaml:1)") {
						t.Errorf("refused: %s", refused)
					}
				}
			})
		}
	}
}

// TestMachineFlags checks the options of a command line.
func TestMachineFlags(t *testing.T) {
	t.Parallel()
	o := files{}.options(t)
	o.Machine, o.Network = machineOf(t, "sandbox: {network: {allow: [a.com]}}"), &network.Setting{On: true}
	if c := load(t, o); reaches(c.Features, "b.com") || !reaches(c.Features, "a.com") || len(c.Refused) != 1 {
		t.Errorf("--network on reaches what the policy refuses: %v", c.Refused)
	}
}

// TestMachineSearch checks that a policy leaves a server that it permits.
func TestMachineSearch(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"https://a.com", "https://a.com/search", "https://x.b.com:443"} {
		o := files{user + "features/x.yaml": "tools: {search: {searxng: '" + at + "'}}"}.options(t)
		o.Machine = machineOf(t, "sandbox: {network: {allow: [a.com, '*.b.com']}}")
		if c := load(t, o); c.Features.Tools.Search.SearXNG != at || len(c.Refused) != 0 {
			t.Errorf("%s: %v", at, c.Refused)
		}
	}
}

// TestMachineServers tries to add a server in each way.
func TestMachineServers(t *testing.T) {
	t.Parallel()
	const its = "its: {command: serve, args: [--all, 'a b'], env: {A: x}}"
	for name, row := range map[string]struct {
		policy string
		used   bool
	}{
		"no rule":         {"version: 0.0.1", true},
		"permitted":       {`mcp: [{name: its, command: 'serve --all "a b"', env: [A]}]`, true},
		"another command": {"mcp: [{name: its, command: /bin/serve --all}]", false},
		"another name":    {"mcp: [{name: theirs, command: '*', env: [A]}]", false},
		"a variable":      {`mcp: [{name: its, command: '*'}]`, false},
		"none":            {"mcp: []", false},
	} {
		for place, f := range map[string]files{
			"home": {user + "mcp/x.yaml": its}, "project": {project + "mcp/x.yaml": its}, "agent": {project + "agents/a.md": "---\nname: a\nmcp: {" + its + "}\n---\n"},
			"editor": {user + "features/acp.yaml": "acp: {client_mcp: true}\n"},
		} {
			t.Run(name+"/"+place, func(t *testing.T) {
				t.Parallel()
				o := f.options(t)
				o.Machine = machineOf(t, row.policy)
				if place == "editor" {
					o.ClientServers = []config.MCPServer{{Name: "its", Command: "serve", Args: []string{"--all", "a b"}, Env: map[string]string{"A": "x"}}}
				}
				c := load(t, o)
				_, used := c.MCPServers["its"]
				if used != row.used || !used && !strings.Contains(fmt.Sprint(c.Notices), "/etc/aura/policy.yaml:1") {
					t.Errorf("used %t, notices %q", used, c.Notices)
				}
			})
		}
	}
}

// TestMachineUnconfined checks what the settings exempt from a sandbox that the policy requires, and hooks that it does not permit.
func TestMachineUnconfined(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{"version: 0.0.1": 4, "sandbox: {required: true}": 2, "hooks: false": 2} {
		o := files{
			user + "hooks/x.yaml": "free: {event: pre, command: x, sandbox: false}\nheld: {event: pre, command: x}", user + "mcp/x.yaml": "free: {command: x, sandbox: false}\nheld: {command: x}",
		}.options(t)
		o.Machine = machineOf(t, policy)
		if c := load(t, o); len(c.Hooks)+len(c.MCPServers) != want {
			t.Errorf("%s: %v, %v", policy, c.Hooks, c.MCPServers)
		}
	}
}

// TestMachineModes checks that a mode is refused by its name, and that a file cannot lend its own mode a permitted name.
func TestMachineModes(t *testing.T) {
	t.Parallel()
	o := files{project + "modes/a.md": "---\nname: mine\n---\n", project + "modes/b.md": "---\nname: edit\nfeatures: {tools: {policy: {auto: ['*']}}}\n---\n"}.options(t)
	o.Machine = machineOf(t, "modes: [ask, edit]")
	c := load(t, o)
	for name, want := range map[string]bool{"ask": true, "auto": false, "mine": false, "edit": false} {
		if _, err := c.FeaturesFor(config.Agent{}, c.Modes[name], nil); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if names := fmt.Sprint(c.ModeNames()); names != "[ask]" {
		t.Errorf("modes: %s", names)
	}
	if c.PermitModeOf(config.Mode{}) == nil || c.UsualModeWithin("auto") != "ask" || c.UsualModeWithin("") != "ask" {
		t.Error("a session can work without a mode")
	}
}

// TestMachineSigning checks that homes cannot add sources and signers.
func TestMachineSigning(t *testing.T) {
	t.Parallel()
	const key = "a ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINE0Zm0N3CkMQ5Hk5vKtA6m0Vsh2m4Cwz4Y0D2gKcIho"
	f := files{user + "features/plugins.yaml": "plugins: {signed: off}", user + "allowed_signers": strings.Replace(key, "a ", "mine ", 1)}
	o := f.options(t)
	o.Machine = machineOf(t, "sources: ['https://a/*']\nsigners: ['"+key+"']\nplugins: {forbidden: [{name: bad, origin: '*'}]}")
	c := load(t, o)
	p := c.Signing(c.User, "https://a/b")
	if p.Rule != signature.Required || len(p.Allowed) != 1 || p.Allowed[0].Principals != "a" || p.Permitted("good") != nil || p.Permitted("bad") == nil {
		t.Errorf("%+v", p)
	}
	if p := c.Signing(c.User, "https://b/b"); p.Refused == nil {
		t.Error("a source that is not listed is permitted")
	}
	if p := c.Signing(c.User, ""); p.Permitted("x") == nil {
		t.Error("a plugin without a source is permitted")
	}
	o.Machine = machineOf(t, "signers: [nonsense]")
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "/etc/aura/policy.yaml:1") {
		t.Error(err)
	}
}
