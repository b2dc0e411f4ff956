package config_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/network"
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
		Network:      config.Network{Written: true}, UnixSockets: true, Caches: config.SharedCaches,
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
		Network: config.Network{Setting: network.Setting{On: true}, Written: true}, Caches: config.PrivateCaches, Restrictions: config.SandboxPaths{ReadWrite: []string{}},
		Extra: config.SandboxPaths{ReadOnly: []string{"/u", "/p", "/m"}, ReadWrite: []string{"/a"}},
	}
	if !reflect.DeepEqual(got.Sandbox, want) {
		t.Errorf("got  %+v\nwant %+v", got.Sandbox, want)
	}
	if global := c.Features.Sandbox; global.Network.On || !global.Enabled || len(global.Extra.ReadOnly) != 2 {
		t.Errorf("global %+v", global)
	}
}

// TestNetworkRules checks what sandbox.network can be, and that a narrower scope replaces the rules as a whole.
func TestNetworkRules(t *testing.T) {
	t.Parallel()
	c := files{
		user + "sandbox/sandbox.yaml":    "sandbox: {network: {allow: [github.com], deny: [\"*.corp.example\"], ask: on}}",
		project + "sandbox/sandbox.yaml": "sandbox: {network: }",
		project + "agents/a.md":          "---\nname: a\nfeatures: {sandbox: {network: {allow: [\"*.Example.org:443\", \"preset:go\", \"[::1]:80\"]}}}\n---\n",
		project + "modes/off.md":         "---\nname: off\nfeatures: {sandbox: {network: off}}\n---\n",
		project + "modes/none.md":        "---\nname: none\nfeatures: {sandbox: {network: {allow: []}}}\n---\n",
		project + "tasks/t.yaml":         "t: {features: {sandbox: {network: on}}}",
	}
	task := c.load(t).Tasks["t"]
	for _, tt := range []struct {
		agent, mode string
		task        *config.Task
		flag        string
		want        string
	}{
		{"", "", nil, "", "allow github.com; deny *.corp.example; ask about others"},
		{"a", "", nil, "", "allow *.example.org:443, preset:go, [::1]:80"},
		{"a", "off", nil, "", "off"},
		{"a", "none", nil, "", "allow no host"},
		{"a", "off", &task, "", "on"},
		{"a", "off", &task, "localhost:1,a.example", "allow localhost:1, a.example"},
		{"", "", nil, "off", "off"},
	} {
		options := c.options(t)
		if tt.flag != "" {
			setting, err := network.ParseSetting(tt.flag)
			if err != nil {
				t.Fatal(err)
			}
			options.Network = &setting
		}
		loaded, err := config.Load(options)
		if err != nil {
			t.Fatal(err)
		}
		if tt.task != nil {
			mine := loaded.Tasks["t"]
			tt.task = &mine
		}
		got, err := loaded.FeaturesFor(loaded.Agents[tt.agent], loaded.Modes[tt.mode], tt.task)
		if err != nil || got.Sandbox.Network.String() != tt.want || !got.Sandbox.Network.Written {
			t.Errorf("%+v: %v, %v", tt, got.Sandbox.Network, err)
		}
		if tt.flag != "" && loaded.Features.Sandbox.Network.String() != tt.want {
			t.Errorf("%+v: the homes have %v", tt, loaded.Features.Sandbox.Network)
		}
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
		"word in quotes": {files{project + "sandbox/s.yaml": "sandbox:\n  network: 'on'\n"}, `key "sandbox.network": expected on, off, or a mapping with allow, deny and ask`},
		"list of hosts":  {files{project + "sandbox/s.yaml": "sandbox:\n  network: [a]\n"}, `key "sandbox.network": expected on, off, or a mapping with allow, deny and ask`},
		"bad rule":       {files{project + "sandbox/s.yaml": "sandbox:\n  network:\n    ask: on\n    allow:\n      - a.example\n      - https://b.example\n"}, `s.yaml:6: key "sandbox.network": allow[1]: "https://b.example" is a URL; write its host`},
		"blank rule":     {files{project + "sandbox/s.yaml": "sandbox:\n  network:\n    allow: [~]\n"}, `s.yaml:3: key "sandbox.network": allow[0]: no host`},
		"denied preset":  {files{project + "sandbox/s.yaml": "sandbox:\n  network:\n    deny: ['preset:go']\n"}, `s.yaml:3: key "sandbox.network": deny[0]: "preset:go" is a preset`},
		"unknown rule":   {files{project + "sandbox/s.yaml": "sandbox:\n  network:\n    alow: []\n"}, `s.yaml:3: key "sandbox.network": unknown key "alow"`},
		"number":         {files{project + "sandbox/s.yaml": "sandbox:\n  network:\n    allow: [80]\n"}, `key "sandbox.network": key "allow[0]": expected text`},
		"rule of a mode": {files{project + "modes/m.md": "---\nname: m\nfeatures:\n  sandbox:\n    network: {allow: [localhost]}\n---\n"}, `m.md:5: key "features.sandbox.network": allow[0]: "localhost" names no port`},
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
