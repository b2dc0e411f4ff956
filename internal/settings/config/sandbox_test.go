package config_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestSandboxFields(t *testing.T) {
	t.Parallel()
	const text = `
sandbox:
  enabled: false
  restrictions: {ro: [/usr], rw: []}
  extra: {ro: [~/docs], rw: [../out]}
  network: off
  unix_sockets: on
  caches: shared
`
	want := config.Sandbox{
		Restrictions: config.SandboxPaths{ReadOnly: []string{"/usr"}, ReadWrite: []string{}},
		Extra:        config.SandboxPaths{ReadOnly: []string{"~/docs"}, ReadWrite: []string{"../out"}},
		UnixSockets:  true, Caches: config.SharedCaches,
	}
	for _, file := range []string{"sandbox/sandbox.yaml", "features/sandbox.yaml"} {
		if got := (files{project + file: text}).load(t).Features.Sandbox; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// TestSandboxLayers checks that a layer replaces the settings below it, except for extra, which is appended.
func TestSandboxLayers(t *testing.T) {
	t.Parallel()
	c := files{
		user + "sandbox/sandbox.yaml":    "sandbox: {network: off, extra: {ro: [/u]}}",
		project + "sandbox/sandbox.yaml": "sandbox: {restrictions: {rw: [.]}, extra: {ro: [/p], rw: }}",
		project + "agents/a.md":          "---\nname: a\nfeatures: {sandbox: {network: on, extra: {rw: [/a]}}}\n---\n",
		project + "modes/m.md":           "---\nname: m\nfeatures: {sandbox: {restrictions: {rw: []}, extra: {ro: [/m]}}}\n---\n",
		project + "tasks/t.yaml":         "t: {features: {sandbox: {enabled: no}}}",
	}.load(t)
	task := c.Tasks["t"]
	got, err := c.FeaturesFor(c.Agents["a"], c.Modes["m"], &task)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Sandbox{
		Network: true, Caches: config.PrivateCaches, Restrictions: config.SandboxPaths{ReadWrite: []string{}},
		Extra: config.SandboxPaths{ReadOnly: []string{"/u", "/p", "/m"}, ReadWrite: []string{"/a"}},
	}
	if !reflect.DeepEqual(got.Sandbox, want) {
		t.Errorf("got  %+v\nwant %+v", got.Sandbox, want)
	}
	if global := c.Features.Sandbox; global.Network || !global.Enabled || len(global.Extra.ReadOnly) != 2 {
		t.Errorf("global %+v", global)
	}
}

func TestSandboxRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files files
		want  string
	}{
		"other key":      {files{project + "sandbox/s.yaml": "tools: {}\n"}, `s.yaml:1: key "tools": a file in sandbox/ has the top-level key "sandbox"`},
		"unknown key":    {files{project + "sandbox/s.yaml": "sandbox:\n  allow: []\n"}, `s.yaml:2: unknown key "allow" in "sandbox"`},
		"no list":        {files{project + "sandbox/s.yaml": "sandbox:\n  extra: {ro: /usr}\n"}, `key "sandbox.extra.ro": expected a list`},
		"neither":        {files{project + "sandbox/s.yaml": "sandbox:\n  network: some\n"}, `key "sandbox.network": expected`},
		"empty path":     {files{project + "sandbox/s.yaml": "sandbox:\n  extra: {rw: ['']}\n"}, `key "sandbox.extra.rw": an empty path`},
		"bare tilde":     {files{project + "sandbox/s.yaml": "sandbox:\n  extra:\n    rw: [/usr, ~]\n"}, `s.yaml:3: key "sandbox.extra.rw[1]": no path; for the home directory write "~"`},
		"null in a mode": {files{project + "modes/m.md": "---\nname: m\nfeatures:\n  sandbox: {restrictions: {ro: [null]}}\n---\n"}, `m.md:4: key "sandbox.restrictions.ro[0]": no path`},
		"set twice":      {files{project + "sandbox/s.yaml": "sandbox: {}\n", project + "features/s.yaml": "sandbox: {}\n"}, `feature "sandbox" is set in`},
		"in a mode too":  {files{project + "modes/m.md": "---\nname: m\nfeatures:\n  sandbox: {ro: []}\n---\n"}, `unknown key "ro" in "features.sandbox"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(tt.files.options(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
