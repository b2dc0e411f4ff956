package config_test

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestPluginsFields(t *testing.T) {
	t.Parallel()
	c := files{project + "features/plugins.yaml": `
plugins:
  dir: extra
  unsafe: true
  include: ["diagnostic-*"]
  exclude: [diagnostic-x]
  config:
    global: {verbose: true}
    local: {guard: {max: 5, ratio: 0.5, names: [a]}}
`}.load(t)
	want := config.Plugins{
		Unsafe: true, Include: []string{"diagnostic-*"}, Exclude: []string{"diagnostic-x"},
		Global: map[string]any{"verbose": true},
		Local:  map[string]map[string]any{"guard": {"max": 5, "ratio": 0.5, "names": []any{"a"}}},
	}
	if got := c.Features.Plugins; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
}

func TestPluginsMerge(t *testing.T) {
	t.Parallel()
	const below = `plugins: {unsafe: true, include: [a], exclude: [b], config: {global: {x: 1, y: 1}, local: {p: {x: 1, y: 1}, q: {x: 1}}}}`
	base := config.Plugins{
		Unsafe: true, Include: []string{"a"}, Exclude: []string{"b"}, Global: map[string]any{"x": 1, "y": 1},
		Local: map[string]map[string]any{"p": {"x": 1, "y": 1}, "q": {"x": 1}},
	}
	with := func(change func(p *config.Plugins)) config.Plugins {
		p := base
		change(&p)
		return p
	}
	for above, want := range map[string]config.Plugins{
		"":                               base,
		"plugins:":                       base,
		"plugins: {}":                    base,
		"plugins: {include: , unsafe: }": base,
		"plugins: {unsafe: false}":       with(func(p *config.Plugins) { p.Unsafe = false }),
		"plugins: {include: [c]}":        with(func(p *config.Plugins) { p.Include = []string{"c"} }),
		"plugins: {include: []}":         with(func(p *config.Plugins) { p.Include = []string{} }),
		"plugins: {exclude: [c]}":        with(func(p *config.Plugins) { p.Exclude = []string{"c"} }),
		"plugins: {config: {global: {y: {z: 2}}}}": with(func(p *config.Plugins) {
			p.Global = map[string]any{"x": 1, "y": map[string]any{"z": 2}}
		}),
		"plugins: {commands: {stats: p}}": with(func(p *config.Plugins) { p.Commands = map[string]string{"stats": "p"} }),
		"plugins: {timeouts: {p: 1m, q: 5}}": with(func(p *config.Plugins) {
			p.Timeouts = map[string]config.Timeout{"p": config.Timeout(time.Minute), "q": config.Timeout(5 * time.Second)}
		}),
		"plugins: {config: {local: {p: {y: 2}, r: {z: 2}}}}": with(func(p *config.Plugins) {
			p.Local = map[string]map[string]any{"p": {"x": 1, "y": 2}, "q": {"x": 1}, "r": {"z": 2}}
		}),
	} {
		c := files{user + "features/plugins.yaml": below, project + "features/plugins.yaml": above}.load(t)
		if got := c.Features.Plugins; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %#v\nwant %#v", above, got, want)
		}
	}
}

func TestPluginRoots(t *testing.T) {
	t.Parallel()
	abs := filepath.Join(t.TempDir(), "shared")
	tests := map[string]struct {
		user, project string
		want          []string
	}{
		"default":       {"", "", []string{"me/.aura/plugins", "work/.aura/plugins"}},
		"empty":         {"plugins: {dir: ''}", "plugins: {dir: }", []string{"me/.aura/plugins", "work/.aura/plugins"}},
		"of the user":   {"plugins: {dir: mine}", "", []string{"me/.aura/mine", "work/.aura/plugins"}},
		"of both":       {"plugins: {dir: mine}", "plugins: {dir: ../ours}", []string{"me/.aura/mine", "work/ours"}},
		"tilde":         {"plugins: {dir: ~/mine}", "plugins: {dir: '~user'}", []string{"me/mine", "work/.aura/~user"}},
		"absolute":      {"plugins: {dir: '${ABS}'}", "", []string{abs, "work/.aura/plugins"}},
		"the same one":  {"plugins: {dir: '${ABS}'}", "plugins: {dir: '${ABS}'}", []string{abs}},
		"order of same": {"plugins: {dir: ../../work/.aura/plugins}", "", []string{"work/.aura/plugins"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := files{user + "features/a.yaml": tt.user, project + "features/a.yaml": tt.project}.options(t)
			o.Environ = []string{"ABS=" + abs}
			c := load(t, o)
			var want []config.PluginRoot
			for i, dir := range tt.want {
				if !filepath.IsAbs(dir) {
					dir = filepath.Join(filepath.Dir(o.Workdir), dir)
				}
				home := c.Homes[len(c.Homes)-len(tt.want)+i]
				want = append(want, config.PluginRoot{Home: home, Dir: dir, Named: filepath.Base(dir) != "plugins"})
			}
			got := c.PluginRoots()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			got[0].Dir = "changed"
			if reflect.DeepEqual(got, c.PluginRoots()) {
				t.Error("the caller can change the configuration")
			}
		})
	}
}

func TestFeaturesRefused(t *testing.T) {
	t.Parallel()
	const path = project + "features/plugins.yaml"
	checkRefused(t, map[string]refused{
		"unknown key":       {files{path: "plugins:\n  unsave: true\n"}, []string{`plugins.yaml:2: unknown key "unsave" in "plugins"`}},
		"unknown inner key": {files{path: "plugins:\n  config:\n    globl: {}\n"}, []string{`plugins.yaml:3: unknown key "globl" in "plugins.config"`}},
		"duplicate key":     {files{path: "plugins:\n  unsafe: true\n  unsafe: true\n"}, []string{`plugins.yaml:3: duplicate key "plugins.unsafe"`}},
		"wrong type":        {files{path: "plugins:\n  include: x\n"}, []string{`plugins.yaml:2: key "plugins.include": expected a list`}},
		"local not a map":   {files{path: "plugins:\n  config:\n    local: {x: 3}\n"}, []string{`plugins.yaml:3: key "plugins.config.local.x": expected a mapping`}},
		"bad include":       {files{path: "plugins:\n  include: ['[']\n"}, []string{`plugins.yaml:2: key "plugins.include": "[" is not a pattern`}},
		"bad exclude":       {files{path: "plugins:\n  include: [a]\n  exclude: ['[']\n"}, []string{`plugins.yaml:3: key "plugins.exclude": "[" is not a pattern`}},
		"misspelled":        {files{path: "plugin: {}\n"}, []string{`plugins.yaml:1: unknown key "plugin"; known keys: acp, compaction, instructions, plugins, record, sandbox, screen, tools`}},
		"two keys":          {files{path: "plugins: {}\ntools: {}\n"}, []string{`plugins.yaml:2: key "tools": a file in features/ has one top-level key, here "plugins"`}},
		"two other keys":    {files{project + "features/x.yaml": "a: {}\nb: {}\n"}, []string{`x.yaml:2: key "b": a file in features/ has one`}},
		"a list":            {files{path: "- plugins\n"}, []string{`plugins.yaml:1: expected one top-level key`}},
		"no key":            {files{path: "{}\n"}, []string{`plugins.yaml:1: expected one top-level key`}},
		"syntax":            {files{project + "features/x.yaml": "a: [\n"}, []string{`x.yaml:1: `}},
	})
}

func TestFeatureFiles(t *testing.T) {
	t.Parallel()
	c := files{
		project + "features/none.yaml":     "# nothing yet\n",
		project + "features/null.yaml":     "null\n",
		project + "features/own.yaml":      "plugins: {unsafe: true}\n",
		project + "features/deep/own.yaml": "tools: {max_steps: 3}\n",
	}.load(t)
	if !c.Features.Plugins.Unsafe || c.Features.Tools.MaxSteps != 3 {
		t.Errorf("files of other names are not read: %+v", c.Features)
	}
}

// TestSafePlugins checks that the command line can deny unsafe mode, whatever the settings of homes, agents and modes say.
func TestSafePlugins(t *testing.T) {
	t.Parallel()
	for _, safe := range []bool{false, true} {
		o := files{
			project + "features/plugins.yaml": "plugins: {unsafe: true}",
			project + "agents/a.md":           "---\nname: a\nfeatures: {plugins: {unsafe: true}}\n---\n",
		}.options(t)
		o.SafePlugins = safe
		c := load(t, o)
		f, err := c.FeaturesFor(c.Agents["a"], config.Mode{}, nil)
		if err != nil || f.Plugins.Unsafe == safe || c.Features.Plugins.Unsafe == safe {
			t.Errorf("safe %t: %t, %t, %v", safe, c.Features.Plugins.Unsafe, f.Plugins.Unsafe, err)
		}
	}
}

// TestLocalPatterns checks that settings for patterns of names apply, and that those for a name itself take precedence.
func TestLocalPatterns(t *testing.T) {
	t.Parallel()
	p := config.Plugins{Local: map[string]map[string]any{"*": {"a": 1, "b": 1, "c": 1}, "one": {"c": 3}, "on*": {"b": 2, "c": 2}}}
	for name, want := range map[string]map[string]any{"one": {"a": 1, "b": 2, "c": 3}, "only": {"a": 1, "b": 2, "c": 2}, "two": {"a": 1, "b": 1, "c": 1}} {
		if got := p.ConfigFor(name, nil); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestConfigFor(t *testing.T) {
	t.Parallel()
	p := config.Plugins{
		Global: map[string]any{"a": "global", "b": "global", "deep": map[string]any{"list": []any{1, map[string]any{"x": 1}}}},
		Local:  map[string]map[string]any{"one": {"a": "local", "n": 3}, "two": {}},
	}
	defaults := map[string]any{"a": "default", "b": "default", "c": "default", "deep": map[string]any{"gone": true}, "empty": map[string]any{}}
	deep := map[string]any{"list": []any{1, map[string]any{"x": 1}}}
	want := map[string]any{"a": "local", "b": "global", "c": "default", "n": 3, "deep": deep, "empty": map[string]any{}}
	if got := p.ConfigFor("one", defaults); !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
	if got := p.ConfigFor("two", nil); !reflect.DeepEqual(got, p.Global) {
		t.Errorf("got %#v", got)
	}
	if got := (config.Plugins{}).ConfigFor("x", nil); got == nil || len(got) != 0 {
		t.Errorf("got %#v", got)
	}

	mine := p.ConfigFor("one", defaults)
	list, _ := mine["deep"].(map[string]any)["list"].([]any)
	list[0] = "changed"
	list[1].(map[string]any)["x"] = "changed"
	mine["empty"].(map[string]any)["x"] = "changed"
	if !reflect.DeepEqual(p.Global["deep"], any(deep)) || len(defaults["empty"].(map[string]any)) != 0 {
		t.Errorf("the caller can change the configuration: %#v %#v", p.Global, defaults)
	}
}

func TestSelected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		include, exclude []string
		name             string
		want             bool
	}{
		{nil, nil, "a", true},
		{[]string{}, nil, "a", true},
		{[]string{"a"}, nil, "a", true},
		{[]string{"a"}, nil, "b", false},
		{[]string{"diag-*"}, nil, "diag-x", true},
		{[]string{"diag-*"}, nil, "diagx", false},
		{nil, []string{"a"}, "a", false},
		{nil, []string{"a"}, "b", true},
		{[]string{"*"}, []string{"*-x"}, "diag-x", false},
		{[]string{"a", "b"}, []string{"b"}, "b", false},
	}
	for _, tt := range tests {
		p := config.Plugins{Include: tt.include, Exclude: tt.exclude}
		if got := p.Selected(tt.name); got != tt.want {
			t.Errorf("include %v, exclude %v: %s is %v", tt.include, tt.exclude, tt.name, got)
		}
	}
}

// TestPluginConfigVariables checks which types the values of variables have in the configuration of a plugin.
func TestPluginConfigVariables(t *testing.T) {
	t.Parallel()
	o := files{project + "features/plugins.yaml": `
plugins:
  config:
    local:
      p:
        port: ${PORT}
        ratio: ${RATIO}
        on: ${ON}
        name: ${NAME}
        at: ${NAME}:${PORT}
        text: "${PORT}"
        tagged: !!str ${PORT}
        list:
          - ${PORT}
`}.options(t)
	o.Environ = []string{"PORT=8080", "RATIO=0.5", "ON=true", "NAME=yes"}
	want := map[string]any{"port": 8080, "ratio": 0.5, "on": true, "name": "yes", "at": "yes:8080", "text": "8080", "tagged": "8080", "list": []any{8080}}
	if got := load(t, o).Features.Plugins.Local["p"]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v", got)
	}
	for value, want := range map[string]any{
		"0": 0, "-3": -3, "1e3": 1000.0, "-0.50": -0.5, "true": true, "false": false,
		"": "", "010": "010", "+49": "+49", "1_000": "1_000", ".5": ".5", "5.": "5.", "0x10": "0x10", "0x1p4": "0x1p4", "True": "True", "null": "null", "~": "~",
		"nan": "nan", "Infinity": "Infinity", "1e999": "1e999", "99999999999999999999": "99999999999999999999", "2020-01-02": "2020-01-02",
	} {
		o.Environ = []string{"PORT=" + value, "RATIO=1", "ON=1", "NAME=x"}
		if got := load(t, o).Features.Plugins.Local["p"]["port"]; got != want {
			t.Errorf("%q: got %#v, want %#v", value, got, want)
		}
	}
}
