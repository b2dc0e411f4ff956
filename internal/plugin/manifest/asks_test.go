package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/network"
)

func TestAsks(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		manifest string
		files    map[string]string
		want     manifest.Asks
	}{
		"nothing":              {"", map[string]string{"a.go": "package p\n"}, manifest.Asks{}},
		"harmless variables":   {"env: [LANG, LC_ALL, TZ, TERM, NO_COLOR, USER, HOME, PATH, TMPDIR]", nil, manifest.Asks{}},
		"variables":            {"env: [LANG, KEY, A]", nil, manifest.Asks{Env: []string{"A", "KEY"}}},
		"all variables":        {"env: ['*']", nil, manifest.Asks{Env: []string{"*"}}},
		"more memory":          {"limits: {memory: 512MiB}", nil, manifest.Asks{Memory: 512 << 20}},
		"less memory":          {"limits: {memory: 128MiB}", nil, manifest.Asks{}},
		"toolchains":           {"toolchains: true", nil, manifest.Asks{Toolchains: true}},
		"not sandboxable":      {"", map[string]string{"a.go": "package p\nfunc Sandboxable() bool { return false }\n"}, manifest.Asks{Unconfined: true}},
		"sandboxable":          {"", map[string]string{"a.go": "package p\nfunc Sandboxable() bool { return true }\n"}, manifest.Asks{}},
		"perhaps":              {"", map[string]string{"a.go": "package p\nfunc Sandboxable() bool { x := 1; return x > 0 }\n"}, manifest.Asks{Unconfined: true}},
		"a method":             {"", map[string]string{"a.go": "package p\ntype t int\nfunc (t) Sandboxable() bool { return false }\n"}, manifest.Asks{}},
		"in a test":            {"", map[string]string{"a_test.go": "package p\nimport _ \"net\"\nfunc Sandboxable() bool { return false }\n"}, manifest.Asks{}},
		"network":              {"", map[string]string{"a.go": "package p\nimport _ \"net/http\"\n"}, manifest.Asks{Network: true}},
		"network by tls":       {"", map[string]string{"a.go": "package p\nimport _ \"crypto/tls\"\n"}, manifest.Asks{Network: true}},
		"network in raw text":  {"", map[string]string{"a.go": "package p\nimport _ `net`\n"}, manifest.Asks{Network: true}},
		"network, vendored":    {"", map[string]string{"vendor/x/a.go": "package x\nimport _ \"net\"\n"}, manifest.Asks{Network: true}},
		"named hosts":          {"network: [b.example, A.example, a.example]", map[string]string{"a.go": "package p\nimport _ \"net\"\n"}, manifest.Asks{Network: true, Hosts: hosts(t, "a.example", "b.example")}},
		"hosts, no import":     {"network: ['preset:go']", nil, manifest.Asks{Network: true, Hosts: hosts(t, "preset:go")}},
		"no host":              {"network: []", map[string]string{"a.go": "package p\nimport _ \"net\"\n"}, manifest.Asks{}},
		"addresses alone":      {"", map[string]string{"a.go": "package p\nimport (\n_ \"net/url\"\n_ \"net/netip\"\n)\n"}, manifest.Asks{}},
		"a word":               {"", map[string]string{"a.go": "package p\nconst s = \"net\"\n"}, manifest.Asks{}},
		"unsafe":               {"", map[string]string{"a.go": "package p\nimport _ \"os/exec\"\nimport _ \"syscall\"\n"}, manifest.Asks{Unsafe: []string{"os/exec", "syscall"}, Network: true}},
		"a condition":          {"condition: 'auto and bash:\"make ready\" and not bash:./busy.sh'", nil, manifest.Asks{Commands: []string{"./busy.sh", "make ready"}}},
		"harmless condition":   {"condition: 'exists:bash and not auto'", nil, manifest.Asks{}},
		"what does not parse":  {"", map[string]string{"a.go": "package p\nimport _ \"net\"\nfunc Sandboxable( {"}, manifest.Asks{Network: true}},
		"for another platform": {"", map[string]string{"a.go": "//go:build never\n\npackage p\nimport _ \"net\"\n"}, manifest.Asks{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range row.files {
				path := filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			m, err := manifest.Parse("plugin.yaml", []byte(row.manifest))
			if err != nil {
				t.Fatal(err)
			}
			want := row.want
			want.Env, want.Unsafe, want.Commands = append([]string{}, want.Env...), append([]string{}, want.Unsafe...), append([]string{}, want.Commands...)
			want.Hosts = append([]network.Pattern{}, want.Hosts...)
			got := manifest.Ask(manifest.Plugin{Dir: dir, Manifest: m})
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if got.Empty() != (len(got.List()) == 0) {
				t.Errorf("it is empty: %v, but lists %q", got.Empty(), got.List())
			}
		})
	}
}

func hosts(t *testing.T, texts ...string) []network.Pattern {
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

// TestHostsBeyond checks when an update asks for more hosts than the installed version.
func TestHostsBeyond(t *testing.T) {
	t.Parallel()
	asks := func(list ...string) manifest.Asks { return manifest.Asks{Network: true, Hosts: hosts(t, list...)} }
	for _, row := range []struct {
		now, before manifest.Asks
		want        string
	}{
		{asks("a.example"), asks("a.example"), ""},
		{asks("a.example:443"), asks("a.example", "b.example"), ""},
		{asks("x.a.example"), asks("*.a.example"), ""},
		{asks("a.example", "b.example"), asks("a.example"), "hosts b.example"},
		{asks("a.example:*"), asks("a.example"), "hosts a.example:*"},
		{asks("*.a.example"), asks("a.example"), "hosts *.a.example"},
		{asks(), asks("a.example"), "every host on the network"},
		{asks("a.example"), asks(), ""},
		{asks(), asks(), ""},
		{asks("a.example"), manifest.Asks{}, "hosts a.example"},
		{asks(), manifest.Asks{}, "every host on the network"},
		{manifest.Asks{}, asks("a.example"), ""},
	} {
		if got := strings.Join(row.now.Beyond(row.before).List(), "; "); got != row.want {
			t.Errorf("%v beyond %v: %q, want %q", row.now.List(), row.before.List(), got, row.want)
		}
	}
}

// TestWrongHosts checks that a wrong list of hosts is an error, and asks for none.
func TestWrongHosts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"description: x\nnetwork:\n  - a.example\n  - https://b.example\n": `p.yaml:4: key "network[1]": "https://b.example" is a URL`,
		"network: [" + strings.Repeat("a.example, ", 32) + "b]":            "more than 32 hosts",
		"network: on": `key "network": expected a list`,
	} {
		m, err := manifest.Parse("p.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(m.Network) > 0 {
			t.Errorf("%q: %v, %v", text, m.Network, err)
		}
	}
}

func TestAsksBeyond(t *testing.T) {
	t.Parallel()
	all := manifest.Asks{Unconfined: true, Env: []string{"A", "B"}, Unsafe: []string{"syscall"}, Network: true, Toolchains: true, Memory: 1 << 30, Commands: []string{"a", "b\nc"}}
	if more := all.Beyond(all); !more.Empty() {
		t.Errorf("it asks for more than itself: %+v", more)
	}
	if more := all.Beyond(manifest.Asks{Env: []string{"A"}, Memory: 1 << 29, Commands: []string{"a", "*"}}); strings.Join(more.List(), "; ") !=
		"no sandbox for its files (Sandboxable); variables B; every host on the network; reading toolchains and build caches; unsafe mode for syscall; memory 1024 MiB; running commands in its condition: b\\nc" {
		t.Errorf("got %q", more.List())
	}
	if more := all.Beyond(manifest.Asks{Unconfined: true, Env: []string{"*"}, Unsafe: []string{"syscall"}, Network: true, Toolchains: true, Memory: 1 << 31, Commands: all.Commands}); !more.Empty() {
		t.Errorf("all variables hold some: %+v", more)
	}
	if more := (manifest.Asks{Env: []string{"*"}}).Beyond(all); !reflect.DeepEqual(more.Env, []string{"*"}) {
		t.Errorf("all variables are not more than some: %+v", more)
	}
}
