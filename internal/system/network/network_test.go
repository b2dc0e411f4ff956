package network_test

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/network"
)

func parse(t *testing.T, texts ...string) []network.Pattern {
	t.Helper()
	var out []network.Pattern
	for _, text := range texts {
		p, err := network.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"github.com", "github.com"},
		{"GitHub.com.", "github.com"},
		{"*.Example.org:443", "*.example.org:443"},
		{"localhost:5432", "localhost:5432"},
		{"10.0.0.7:22", "10.0.0.7:22"},
		{"10.0.0.7", "10.0.0.7"},
		{"[::1]:80", "[::1]:80"},
		{"::ffff:10.0.0.7", "10.0.0.7"},
		{"[2001:DB8::1]", "[2001:db8::1]"},
		{"2001:db8::1", "[2001:db8::1]"},
		{"host:*", "host:*"},
		{"preset:go", "preset:go"},
	} {
		p, err := network.Parse(c.in)
		if err != nil || p.String() != c.want {
			t.Errorf("Parse(%q) = %v, %v; want %s", c.in, p, err, c.want)
		}
		if again := parse(t, p.String())[0]; again != p {
			t.Errorf("%q read again is %v", p, again)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"", "an empty host"},
		{"https://github.com/x", "is a URL; write its host"},
		{"10.0.0.0/8", "A range of addresses cannot be written"},
		{"user@host", "more than a host and a port"},
		{"*", "sandbox.network: on"},
		{"a.*.example", `write a name, or "*.example.org"`},
		{"*.*.example", `write a name, or "*.example.org"`},
		{"host:", "no valid port"},
		{"host:0", "no valid port"},
		{"host:080", "no valid port"},
		{"host:+80", "no valid port"},
		{"host:65536", "no valid port"},
		{"host:http", "no valid port"},
		{"[::1]:", "no valid port"},
		{"[::1]80", "not an address in brackets"},
		{"[host]:80", "not an address of IPv6"},
		{"[127.0.0.1]:80", "not an address of IPv6"},
		{"[::1", "not an address in brackets"},
		{"a:b:c", "several colons"},
		{"fe80::1%eth0", "names an interface"},
		{"localhost", "write one port"},
		{"0.0.0.0:80", "write localhost and a port"},
		{"[::]:80", "write localhost and a port"},
		{"LOCALHOST.", "write one port"},
		{"localhost:*", "write one port"},
		{"127.0.0.1", "write one port"},
		{"::1", "write one port, such as [::1]:5432"},
		{"127.1:80", "ends in a number"},
		{"preset:perl", "write one of preset:go, preset:npm"},
		{"a b", "has the character ' '"},
	} {
		if p, err := network.Parse(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", c.in, p, err, c.want)
		}
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	plain := network.Rules{
		Allow: parse(t, "github.com", "*.example.org:443", "localhost:5432", "10.0.0.7:22", "any.example:*", "bücher.example", "secret.internal.example:*"),
		Deny:  parse(t, "*.internal.example", "any.example:25", "203.0.113.9"),
	}
	asking, plugin := plain, plain
	asking.Ask = true
	plugin.Only = parse(t, "github.com:443", "api.example.com", "x.internal.example", "localhost:9")
	consented := plugin
	consented.Ask = true
	nothing := asking
	nothing.Only = []network.Pattern{}
	for _, c := range []struct {
		rules network.Rules
		host  string
		port  uint16
		want  network.Decision
		rule  string
	}{
		{plain, "github.com", 443, network.Allowed, "allow: github.com"},
		{plain, "GITHUB.com.", 22, network.Allowed, "allow: github.com"},
		{plain, "github.com", 80, network.Allowed, "allow: github.com"},
		{plain, "github.com", 9418, network.Allowed, "allow: github.com"},
		{plain, "github.com", 8080, network.Refused, "allow: github.com, *.example.org:443, localhost:5432, 10.0.0.7:22, any.example:* and 2 more"},
		{plain, "api.github.com", 443, network.Refused, "allow:"},
		{plain, "notgithub.com", 443, network.Refused, "allow:"},
		{plain, "a.example.org", 443, network.Allowed, "allow: *.example.org:443"},
		{plain, "a.b.example.org", 443, network.Allowed, "allow: *.example.org:443"},
		{plain, "example.org", 443, network.Refused, "allow:"},
		{plain, "badexample.org", 443, network.Refused, "allow:"},
		{plain, "a.example.org", 80, network.Refused, "allow:"},
		{plain, "xn--bcher-kva.example", 443, network.Allowed, "allow: xn--bcher-kva.example"},
		{plain, "any.example", 31337, network.Allowed, "allow: any.example:*"},
		{plain, "any.example", 25, network.Refused, "deny: any.example:25"},
		{plain, "secret.internal.example", 31337, network.Refused, "deny: *.internal.example"},
		{plain, "localhost", 5432, network.Allowed, "allow: localhost:5432"},
		{plain, "localhost", 80, network.Refused, "not public"},
		{plain, "10.0.0.7", 22, network.Allowed, "allow: 10.0.0.7:22"},
		{plain, "[::ffff:10.0.0.7]", 22, network.Allowed, "allow: 10.0.0.7:22"},
		{plain, "10.0.0.7", 80, network.Refused, "not public"},
		{plain, "0x0a000007", 22, network.Refused, "not a host name"},
		{plain, "github.com\x00.evil.example", 443, network.Refused, "not a host name"},
		{plain, "8.8.8.8", 443, network.Refused, "allow:"},
		{network.Rules{}, "github.com", 443, network.Refused, "allow: no host"},

		{asking, "other.example", 443, network.Ask, "ask: no rule names other.example:443"},
		{asking, "github.com", 443, network.Allowed, "allow: github.com"},
		{asking, "x.internal.example", 443, network.Refused, "deny: *.internal.example"},
		{asking, "8.8.8.8", 443, network.Ask, "ask: no rule names 8.8.8.8:443"},
		{asking, "203.0.113.9", 443, network.Refused, "deny: 203.0.113.9"},
		{asking, "169.254.169.254", 80, network.Refused, "not public"},
		{asking, "::1", 80, network.Refused, "[::1]:80 is not public"},
		{asking, "localhost", 80, network.Refused, "not public"},

		{plugin, "github.com", 443, network.Allowed, "allow: github.com"},
		{plugin, "github.com", 80, network.Refused, "the plugin's network: names github.com:443, api.example.com"},
		{plugin, "a.example.org", 443, network.Refused, "the plugin's network: names"},
		{plugin, "api.example.com", 443, network.Refused, "allow:"},
		{consented, "api.example.com", 443, network.Allowed, "the plugin's network: api.example.com"},
		{consented, "other.example", 443, network.Refused, "the plugin's network: names"},
		{consented, "x.internal.example", 443, network.Refused, "deny: *.internal.example"},
		{consented, "localhost", 9, network.Allowed, "the plugin's network: localhost:9"},
		{nothing, "github.com", 443, network.Refused, "the plugin's network: names no host"},
	} {
		got := c.rules.Decide(c.host, c.port)
		if got.Decision != c.want || !strings.Contains(got.Rule, c.rule) {
			t.Errorf("%s:%d: %v (%s); want %v (%s)", c.host, c.port, got.Decision, got.Rule, c.want, c.rule)
		}
	}
}

func TestAnswerable(t *testing.T) {
	t.Parallel()
	plain := network.Rules{Allow: parse(t, "github.com", "*.example.org:8443", "localhost:5432"), Deny: parse(t, "*.internal.example", "port.example:25", "all.example:*")}
	asking, plugin := plain, plain
	asking.Ask = true
	plugin.Only = parse(t, "github.com")
	for _, c := range []struct {
		rules network.Rules
		name  string
		want  bool
	}{
		{plain, "github.com.", true},
		{plain, "a.example.org", true},
		{plain, "example.org", false},
		{plain, "other.example", false},
		{plain, "localhost", true},
		{asking, "other.example", true},
		{asking, "port.example", true},
		{asking, "all.example", false},
		{asking, "a.internal.example", false},
		{asking, "10.0.0.7", false},
		{asking, "a\x00.example", false},
		{network.Rules{Ask: true}, "localhost", false},
		{plugin, "github.com", true},
		{plugin, "a.example.org", false},
	} {
		if got := c.rules.Answerable(c.name); got != c.want {
			t.Errorf("%q: %v, want %v (%+v)", c.name, got, c.want, c.rules)
		}
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		allow []string
		ask   bool
		want  network.Ports
		local []uint16
		addrs string
	}{
		{nil, false, network.Ports{}, nil, ""},
		{nil, true, network.Ports{List: []uint16{22, 80, 443, 9418}}, nil, ""},
		{[]string{"a.example:8443", "b.example:80", "localhost:5432", "10.0.0.7:22", "[::1]:81", "preset:go"}, false, network.Ports{List: []uint16{22, 80, 8443}}, []uint16{81, 5432}, "10.0.0.7"},
		{[]string{"a.example", "a.example:443"}, false, network.Ports{List: []uint16{22, 80, 443, 9418}}, nil, ""},
		{[]string{"a.example:*"}, true, network.Ports{All: true}, nil, ""},
	} {
		r := network.Rules{Allow: parse(t, c.allow...), Ask: c.ask}
		var addrs []string
		for _, a := range r.Addresses() {
			addrs = append(addrs, a.String())
		}
		if got := r.Ports(); !reflect.DeepEqual(got, c.want) || !slices.Equal(r.LocalPorts(), c.local) || strings.Join(addrs, " ") != c.addrs {
			t.Errorf("%v: %+v %v %v; want %+v %v %v", c.allow, got, r.LocalPorts(), addrs, c.want, c.local, c.addrs)
		}
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"8.8.8.8": true, "172.15.0.1": true, "172.32.0.1": true, "100.63.0.1": true, "168.63.129.17": true, "2606:4700::1": true, "2a00::1": true,
		"::ffff:8.8.8.8": true, "64:ff9b::8.8.8.8": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "100.64.0.1": false, "100.100.100.200": false, "127.0.0.1": false, "127.9.9.9": false,
		"169.254.169.254": false, "168.63.129.16": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.192": false, "192.168.1.1": false,
		"198.18.0.1": false, "198.19.255.255": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "fec0::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::127.0.0.1": false, "::8.8.8.8": false, "::ffff:0:127.0.0.1": false, "64:ff9b::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false,
		"64:ff9b:1::8.8.8.8": false, "2002:7f00:1::": false, "2001::1": false, "2001:db8::1": false, "3fff::1": false, "100::1": false, "5f00::1": false,
	} {
		if got := network.Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("Public(%s) = %v", text, got)
		}
	}
	if network.Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	rules := network.Rules{
		Allow: parse(t, "git.example", "localhost:5432", "10.0.0.7:22", "[fd00::7]"), Deny: parse(t, "8.8.4.4"), Ask: true,
	}
	plugin := rules
	plugin.Only = parse(t, "git.example", "10.0.0.8:22")
	own := []netip.Addr{netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("2a00::9")}
	for _, c := range []struct {
		rules network.Rules
		host  string
		at    string
		want  string
	}{
		{rules, "git.example", "8.8.8.8:443", ""},
		{rules, "git.example", "[::ffff:8.8.8.8]:443", ""},
		{rules, "git.example", "10.0.0.7:22", ""},
		{rules, "git.example", "10.0.0.7:443", `git.example:443 leads to 10.0.0.7, which is not a public address; to allow it, add "10.0.0.7:443" to sandbox.network.allow`},
		{rules, "git.example", "[::ffff:10.0.0.8]:443", "not a public address"},
		{rules, "git.example", "127.0.0.1:5432", "not a public address"},
		{rules, "git.example", "[64:ff9b::7f00:1]:80", "not a public address"},
		{rules, "git.example", "[fd00::7]:443", ""},
		{rules, "git.example", "[fd00::7]:8443", `add "[fd00::7]:8443"`},
		{rules, "git.example", "9.9.9.9:443", "an address of this machine"},
		{rules, "git.example", "[2a00::9]:443", "an address of this machine"},
		{rules, "git.example", "8.8.4.4:443", "deny: 8.8.4.4"},
		{rules, "localhost", "127.0.0.1:5432", ""},
		{rules, "localhost.", "[::1]:5432", ""},
		{rules, "localhost", "8.8.8.8:5432", "not an address of this machine's loopback"},
		{rules, "10.0.0.7", "10.0.0.7:22", ""},
		{rules, "10.0.0.7", "8.8.8.8:22", "8.8.8.8 is not 10.0.0.7"},
		{rules, "a\x00", "8.8.8.8:22", "not a host name"},
		{plugin, "git.example", "10.0.0.8:22", ""},
		{plugin, "git.example", "10.0.0.7:22", "not a public address"},
	} {
		err := c.rules.CheckAddress(c.host, netip.MustParseAddrPort(c.at), own)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q at %s: %v; want %q", c.host, c.at, err, c.want)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wide, narrow string
		want         bool
	}{
		{"a.example", "A.example.", true},
		{"a.example", "b.example", false},
		{"a.example", "a.example:443", true},
		{"a.example", "a.example:8443", false},
		{"a.example:*", "a.example", true},
		{"a.example", "a.example:*", false},
		{"a.example:443", "a.example", false},
		{"*.example", "a.example", true},
		{"*.example", "*.a.example", true},
		{"*.example", "*.example", true},
		{"*.a.example", "*.example", false},
		{"*.a.example", "a.example", false},
		{"a.example", "*.a.example", false},
		{"10.0.0.7", "10.0.0.7:22", true},
		{"10.0.0.7", "10.0.0.8", false},
		{"*.example", "10.0.0.7", false},
		{"10.0.0.7", "a.example", false},
		{"preset:go", "preset:go", true},
		{"preset:go", "preset:npm", false},
		{"preset:go", "a.example", false},
		{"*.example:*", "preset:go", false},
	} {
		if got := parse(t, c.wide)[0].Covers(parse(t, c.narrow)[0]); got != c.want {
			t.Errorf("%s covers %s: %v", c.wide, c.narrow, got)
		}
	}
}

func TestStricter(t *testing.T) {
	t.Parallel()
	rules := func(allow, deny string, ask bool) network.Rules {
		return network.Rules{Allow: parse(t, strings.Fields(allow)...), Deny: parse(t, strings.Fields(deny)...), Ask: ask}
	}
	only := rules("a", "", true)
	only.Only = parse(t, "a")
	for i, c := range []struct {
		mine, other network.Rules
		want        bool
	}{
		{rules("a", "", false), rules("a", "", false), false},
		{rules("a b", "", true), rules("a:443", "c", false), false},
		{rules("a", "", false), rules("a b", "", false), true},
		{rules("a", "", false), rules("a", "", true), true},
		{rules("a", "c", false), rules("a", "", false), true},
		{only, rules("a", "", true), true},
		{only, only, false},
		{rules("a", "", true), only, false},
	} {
		if got := c.mine.Stricter(c.other); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	hosts := map[string][]network.Pattern{"go": parse(t, "a.example:443", "b.example")}
	r := network.Rules{Allow: parse(t, "b.example", "preset:go", "preset:npm"), Only: parse(t, "preset:npm")}
	if got := r.Presets(); !slices.Equal(got, []string{"go", "npm"}) {
		t.Error(got)
	}
	r = r.Expand(hosts)
	if !slices.Equal(r.Allow, parse(t, "b.example", "a.example:443")) || r.Only == nil || len(r.Only) != 0 {
		t.Errorf("%+v", r)
	}
	// An empty Only survives the way to another process; it must not become "no limit".
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back network.Rules
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(r, back) {
		t.Errorf("%s: %+v, %v", data, back, err)
	}
	if d := network.Default(); len(d.Allow) != len(network.PresetNames()) || !d.Ask || d.Decide("example.com", 443).Decision != network.Ask {
		t.Errorf("%+v", d)
	}
}

func TestParseSetting(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"on": "on", "off": "off", "a.example": "allow a.example", "A.example, localhost:5432,preset:go": "allow a.example, localhost:5432, preset:go",
	} {
		if got, err := network.ParseSetting(in); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{"": "it is empty", "a,": "an empty host", "a,https://b": "is a URL", "*": "on and off are the other values"} {
		if got, err := network.ParseSetting(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	if _, err := network.ParseDeny("preset:go"); err == nil {
		t.Error("a preset can be denied")
	}
}

func TestFromPreset(t *testing.T) {
	t.Parallel()
	hosts := map[string][]network.Pattern{"go": parse(t, "proxy.example:443"), "npm": parse(t, "registry.example")}
	for _, c := range []struct {
		host string
		port uint16
		want string
	}{
		{"proxy.example", 443, "go"}, {"PROXY.example.", 443, "go"}, {"proxy.example", 80, ""}, {"registry.example", 80, "npm"}, {"x.proxy.example", 443, ""}, {"a\x00", 443, ""},
	} {
		if got := network.Default().FromPreset(hosts, c.host, c.port); got != c.want {
			t.Errorf("%s:%d is of preset %q, want %q", c.host, c.port, got, c.want)
		}
	}
	if got := (network.Rules{Allow: parse(t, "preset:npm")}).FromPreset(hosts, "proxy.example", 443); got != "" {
		t.Errorf("a preset that the rules do not name: %q", got)
	}
}
