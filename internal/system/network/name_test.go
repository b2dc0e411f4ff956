package network_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/network"
)

func TestNameIsCanonical(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	long := strings.Join([]string{label, label, label, strings.Repeat("b", 61)}, ".")
	for _, c := range []struct{ in, want string }{
		{"github.com", "github.com"},
		{"GitHub.COM", "github.com"},
		{"github.com.", "github.com"},
		{"bücher.example", "xn--bcher-kva.example"},
		{"BÜCHER.example", "xn--bcher-kva.example"},
		{"XN--BCHER-KVA.example", "xn--bcher-kva.example"},
		{"ｇithub.com", "github.com"},
		{"github。com", "github.com"},
		{"r3---sn.example", "r3---sn.example"},
		{"_dmarc.example", "_dmarc.example"},
		{"7zip.example", "7zip.example"},
		{"localhost", "localhost"},
		{label + ".example", label + ".example"},
		{long, long},
		{long + ".", long},
		// A look-alike is another name.
		{"gіthub.com", "xn--gthub-n2e.com"},
	} {
		if got, err := network.Name(c.in); err != nil || got != c.want {
			t.Errorf("Name(%q) = %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{
		"", ".", "..", "a..b", "a.b..", ".a", "-a.example", "a-.example", "a b.example", "a\x00.example", "a\x00", "a\n.example", "a\\.b", "a/b", "a:b",
		"a\xff.example", "a*b.example", "*.example", label + "a.example", long + "b", strings.Repeat("ü.", 2000),
		"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.01", "1.2.3.4.", "１２７.0.0.1", "example.0x1", "a.1", "::1", "[::1]",
		"xn--a.example", "xn--.example", "xn--github-.com",
	} {
		if got, err := network.Name(in); err == nil {
			t.Errorf("Name(%q) = %q; want an error", in, got)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"github.com", "BÜCHER.example.", "xn--bcher-kva.example", "a\x00b", "127.1", "a..b", "ｇ.com"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := network.Name(s)
		if err != nil {
			return
		}
		if again, err := network.Name(name); err != nil || again != name {
			t.Fatalf("%q is %q, which is %q: %v", s, name, again, err)
		}
		if _, err := netip.ParseAddr(name); err == nil || len(name) > 253 || strings.ContainsAny(name, "\x00 :/*@") {
			t.Fatalf("%q is %q", s, name)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"github.com", "*.example.org:443", "localhost:5432", "10.0.0.7:22", "[::1]:80", "host:*", "preset:go", "::ffff:1.2.3.4"} {
		f.Add(s, "a.example", uint16(443))
	}
	f.Fuzz(func(t *testing.T, s, host string, port uint16) {
		p, err := network.Parse(s)
		if err != nil {
			return
		}
		again, err := network.Parse(p.String())
		if err != nil || again != p || !p.Covers(again) {
			t.Fatalf("%q is %q, which is %q: %v", s, p, again, err)
		}
		r := network.Rules{Allow: []network.Pattern{p}}
		if name, err := network.Name(host); err == nil && r.Decide(host, port).Decision == network.Allowed && !r.Answerable(name) {
			t.Fatalf("%q allows %s:%d, and DNS does not answer it", p, host, port)
		}
		if both := (network.Rules{Allow: r.Allow, Deny: r.Allow, Ask: true}); both.Decide(host, port).Decision == network.Allowed {
			t.Fatalf("%q is denied and allowed for %s:%d", p, host, port)
		}
	})
}
