package web_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/web"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
)

// errReached says that a connection was made.
var errReached = errors.New("reached")

// TestWay has a row for each host that must not be reached, by a setting.
func TestWay(t *testing.T) {
	t.Parallel()
	rules := func(allow, deny string, ask, lenient bool) network.Setting {
		r := network.Rules{Ask: ask, Lenient: lenient}
		for text := range strings.FieldsSeq(allow) {
			r.Allow = append(r.Allow, pattern(t, text))
		}
		for text := range strings.FieldsSeq(deny) {
			r.Deny = append(r.Deny, pattern(t, text))
		}
		return network.Setting{Rules: &r}
	}
	on, none := network.Setting{On: true}, rules("", "", true, true)
	names := map[string]string{
		"public.example": "9.9.9.9", "private.example": "10.0.0.7", "loop.localhost": "127.0.0.1", "metadata.example": "169.254.169.254",
		"mapped.example": "::ffff:127.0.0.1", "own.example": "8.8.4.4", "six.example": "fd00::1", "denied.example": "9.9.9.9",
	}
	for name, row := range map[string]struct {
		setting network.Setting
		address string
		// want is the address that is dialled, or the beginning of the error.
		want string
	}{
		"on":                              {on, "public.example:443", "9.9.9.9:443"},
		"on, an address":                  {on, "9.9.9.9:80", "9.9.9.9:80"},
		"on, a private name":              {on, "private.example:443", "! private.example:443 leads to 10.0.0.7, which is not a public address"},
		"on, a private address":           {on, "10.0.0.7:80", "! 10.0.0.7:80 leads to 10.0.0.7"},
		"on, localhost":                   {on, "localhost:8080", `! localhost is this machine; to allow it, write rules in sandbox.network with "localhost:8080" in allow`},
		"on, localhost with a dot":        {on, "LOCALHOST.:8080", "! localhost is this machine"},
		"on, below localhost":             {on, "loop.localhost:80", "! loop.localhost:80 leads to 127.0.0.1"},
		"on, loopback":                    {on, "127.0.0.1:80", "! 127.0.0.1:80 leads to 127.0.0.1"},
		"on, loopback of IPv6":            {on, "[::1]:80", "! [::1]:80 leads to ::1"},
		"on, loopback inside of IPv6":     {on, "[::ffff:127.0.0.1]:80", "! 127.0.0.1:80 leads to 127.0.0.1"},
		"on, all addresses":               {on, "0.0.0.0:80", "! 0.0.0.0:80 leads to 0.0.0.0"},
		"on, short notation":              {on, "127.1:80", `! "127.1" is not a host name`},
		"on, a number":                    {on, "2130706433:80", `! "2130706433" is not a host name`},
		"on, hexadecimal":                 {on, "0x7f000001:80", `! "0x7f000001" is not a host name`},
		"on, metadata":                    {on, "metadata.example:80", "! metadata.example:80 leads to 169.254.169.254"},
		"on, a mapped name":               {on, "mapped.example:80", "! mapped.example:80 leads to 127.0.0.1"},
		"on, this machine":                {on, "own.example:80", "! own.example:80 leads to 8.8.4.4, which is an address of this machine"},
		"on, a local name of IPv6":        {on, "six.example:80", "! six.example:80 leads to fd00::1"},
		"on, no such name":                {on, "nowhere.example:80", "! looking up nowhere.example"},
		"off":                             {network.Setting{}, "public.example:443", "! the network is off (sandbox.network)"},
		"no settings":                     {none, "public.example:443", "9.9.9.9:443"},
		"no settings, localhost":          {none, "localhost:80", "! the network rules refuse localhost:80"},
		"no settings, private":            {none, "private.example:80", "! private.example:80 leads to 10.0.0.7"},
		"allowed":                         {rules("public.example", "", false, false), "public.example:443", "9.9.9.9:443"},
		"not allowed":                     {rules("public.example", "", false, false), "own.example:443", "! the network rules refuse own.example:443 (allow: public.example)"},
		"nobody can be asked":             {rules("public.example", "", true, false), "own.example:443", "! the network rules refuse own.example:443 (ask: no rule names"},
		"denied":                          {rules("", "denied.example", true, true), "denied.example:443", "! the network rules refuse denied.example:443 (deny: denied.example)"},
		"denied by its address":           {rules("public.example", "9.9.9.9", false, false), "public.example:443", "! public.example:443 leads to 9.9.9.9: deny"},
		"an allowed port of this machine": {rules("localhost:8080", "", false, false), "localhost:8080", "[::1]:8080"},
		"another port of this machine":    {rules("localhost:8080", "", false, false), "localhost:8081", "! the network rules refuse localhost:8081"},
		"an allowed private address":      {rules("private.example 10.0.0.7", "", false, false), "private.example:443", "10.0.0.7:443"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dialled := ""
			way := web.Way{Setting: row.setting, Outside: netgate.Outside{
				Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
					if addr, ok := names[name]; ok {
						return []netip.Addr{netip.MustParseAddr(addr)}, nil
					}
					return nil, errors.New("there is no such host")
				},
				Dial: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
					dialled = to.String()
					return nil, errReached
				},
				Own: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("8.8.4.4")} },
			}}
			_, err := way.Dial(t.Context(), "tcp", row.address)
			failure, fails := strings.CutPrefix(row.want, "! ")
			if fails && (dialled != "" || err == nil || !strings.HasPrefix(err.Error(), failure)) || !fails && (dialled != row.want || !errors.Is(err, errReached)) {
				t.Errorf("dialled %q, %v", dialled, err)
			}
		})
	}
}

func pattern(t *testing.T, text string) network.Pattern {
	t.Helper()
	p, err := network.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWayRebinding checks that a name whose second answer is another one leads to the address that was checked.
func TestWayRebinding(t *testing.T) {
	t.Parallel()
	asked := 0
	var dialled []string
	way := web.Way{Setting: network.Setting{On: true}, Outside: netgate.Outside{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			asked++
			return []netip.Addr{netip.MustParseAddr([]string{"127.0.0.1", "9.9.9.9"}[asked%2])}, nil
		},
		Dial: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			dialled = append(dialled, to.Addr().String())
			return nil, errReached
		},
		Own: func() []netip.Addr { return nil },
	}}
	for range 4 {
		_, err := way.Dial(t.Context(), "tcp", "rebinding.example:80")
		if err == nil {
			t.Fatal("it is connected")
		}
	}
	if asked != 4 || strings.Join(dialled, " ") != "9.9.9.9 9.9.9.9" {
		t.Errorf("dialled %v after %d look-ups", dialled, asked)
	}
}
