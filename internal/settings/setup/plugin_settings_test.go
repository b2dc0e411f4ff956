package setup

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/docs/schemas"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

// pluginSettings has a row for each setting of plugins: a value that has an effect, and one that has none. The first changes what would
// be run. The second is reported: idle is a part of the notice. A setting that always has an effect has no second value.
var pluginSettings = map[string]struct{ effective, without, idle string }{
	"dir":           {`dir: other`, `dir: nowhere`, "which does not exist"},
	"unsafe":        {effective: `unsafe: true`},
	"native":        {effective: `native: true`},
	"include":       {`include: [two]`, `include: [one, thre]`, `plugins.include names "thre", which matches no plugin`},
	"exclude":       {`exclude: ["o*"]`, `exclude: [thre]`, `plugins.exclude names "thre", which matches no plugin`},
	"config.global": {`config: {global: {size: 2}}`, `config: {global: {siz: 2}}`, `plugins.config.global sets "siz", which no plugin has in its defaults; did you mean "size"?`},
	// The set of commands reports a choice that names no command; see command.TestChoiceWithoutACommand.
	"commands": {effective: `commands: {stats: one}`},
	"timeouts": {`timeouts: {one: 60s}`, `timeouts: {thre: 60s}`, `plugins.timeouts names "thre", which matches no plugin`},
	// A command that does not exist refuses what is installed.
	"verify": {effective: `verify: scan`},
	// A pattern that matches nothing yet is for sources that are added later.
	"signed":       {effective: `signed: {"https://*": required}`},
	"config.local": {`config: {local: {"o*": {size: 2}}}`, `config: {local: {"thre*": {size: 2}}}`, `which matches no plugin`},
}

// TestPluginSettings checks that each setting of plugins in the schema has an effect, or is reported if it has none.
func TestPluginSettings(t *testing.T) {
	t.Parallel()
	if got, want := slices.Sorted(maps.Keys(pluginSettings)), leaves(t, "plugins"); !slices.Equal(got, want) {
		t.Errorf("the table has %q, and the schema has %q: a setting needs an effect and a check", got, want)
	}
	plain, _ := planned(t, "")
	for name, row := range pluginSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, notices := planned(t, row.effective); got == plain || len(notices) > 0 {
				t.Errorf("%s changes nothing, or is reported: %s, %q", row.effective, got, notices)
			}
			if row.idle == "" {
				return
			}
			if _, notices := planned(t, row.without); !strings.Contains(strings.Join(notices, "\n"), row.idle) {
				t.Errorf("%s: notices %q, want %q", row.without, notices, row.idle)
			}
		})
	}
}

// planned returns what would be run with settings of plugins, and what is reported about the settings.
func planned(t *testing.T, settings string) (string, []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config/features/plugins.yaml": "plugins: {" + settings + "}\n",
		"plugins/one/plugin.yaml":      "config: {size: 1}\n", "plugins/one/go.mod": "module one\n", "plugins/one/main.go": "package one\n",
		"plugins/two/plugin.yaml": "config: {size: 1}\n", "plugins/two/go.mod": "module two\n", "plugins/two/main.go": "package two\n",
		"other/three/plugin.yaml": "",
	} {
		path := filepath.Join(dir, ".aura", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, ".aura")
	c, err := config.Load(config.Options{Workdir: t.TempDir(), Home: &home, Environ: append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))})
	if err != nil {
		t.Fatal(err)
	}
	s := Source{Config: c}
	p, err := s.FindPlugins(c.Features)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{fmt.Sprint(c.Features.Plugins.Commands, c.Features.Plugins.Verify, c.Signing(dir, "https://example.com/plugin").Rule)}
	for _, spec := range p.Specs {
		out = append(out, fmt.Sprint(spec.Name, spec.Config, spec.Unsafe, spec.Native != nil || spec.NativeError != nil, spec.Manifest.Timeout))
	}
	return strings.Join(out, "; "), append(p.Notices, s.Unmatched(Role{}, c.Features, []tool.Tool{}, nil, p.Installed)...)
}

// leaves returns the settings below a key of the features, with dots, that have no settings of their own.
func leaves(t *testing.T, key string) []string {
	t.Helper()
	type node struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var walk func(prefix string, raw json.RawMessage) []string
	walk = func(prefix string, raw json.RawMessage) []string {
		var n node
		if err := json.Unmarshal(raw, &n); err != nil {
			t.Fatal(err)
		}
		if len(n.Properties) == 0 {
			return []string{strings.TrimPrefix(prefix, ".")}
		}
		var out []string
		for name, below := range n.Properties {
			out = append(out, walk(prefix+"."+name, below)...)
		}
		return out
	}
	text, err := schemas.Files.ReadFile("features.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	out := walk("", root.Properties[key])
	slices.Sort(out)
	return out
}
