package config_test

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestEnvFiles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files    files
		envFiles []string
		want     []string
		err      []string
	}{
		"default file": {
			files{"work/secrets.env": "B=two words\nA='1'\n# comment\nexport C=\"x\\ny\"\n"},
			nil,
			[]string{"A=1", "B=two words", "C=x\ny"},
			nil,
		},
		"byte order mark":       {files{"work/secrets.env": "\ufeffA=1\n"}, nil, []string{"A=1"}, nil},
		"absent default file":   {files{}, nil, nil, nil},
		"the process wins":      {files{"work/secrets.env": "SET=file\nEMPTY=file\nA=1\n"}, nil, []string{"A=1"}, nil},
		"the last file wins":    {files{"work/a": "A=1\nB=1", "work/b": "B=2"}, []string{"a", "b"}, []string{"A=1", "B=2"}, nil},
		"default is replaced":   {files{"work/a": "A=1", "work/secrets.env": "B=1"}, []string{"a"}, []string{"A=1"}, nil},
		"no file at all":        {files{"work/secrets.env": "B=1"}, []string{}, nil, nil},
		"named file is absent":  {files{}, []string{"secrets.env"}, nil, []string{"reading environment file", "work/secrets.env"}},
		"no equals sign":        {files{"work/secrets.env": "A=1\nhunter2\nB=2\n"}, nil, nil, []string{"work/secrets.env:2: expected NAME=value"}},
		"no equals sign at end": {files{"work/secrets.env": "A=1\nhunter2"}, nil, nil, []string{"work/secrets.env:2: expected NAME=value"}},
		"no name":               {files{"work/secrets.env": "=hunter2"}, nil, nil, []string{"work/secrets.env:1: expected"}},
		"name with a space":     {files{"work/secrets.env": "A B=hunter2"}, nil, nil, []string{"work/secrets.env:1: expected"}},
		"open quote":            {files{"work/secrets.env": "A=\"1\n2\"\nB=\"hunter2\nC=3\n"}, nil, nil, []string{"work/secrets.env:3: expected"}},
		"zero byte":             {files{"work/secrets.env": "A=1\nB=hunter2\x00\n"}, nil, nil, []string{"work/secrets.env:2: expected"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tt.files.options(t)
			o.EnvFiles = tt.envFiles
			c, err := config.Load(o)
			if tt.err != nil {
				checkError(t, err, tt.err...)
				if strings.Contains(err.Error(), "hunter2") {
					t.Errorf("a secret is in the error: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := slices.Concat(o.Environ, tt.want); !slices.Equal(c.Environ, want) {
				t.Errorf("got %q, want %q", c.Environ, want)
			}
		})
	}
}

func TestProcessEnvironment(t *testing.T) {
	t.Setenv("AURA_TEST_VARIABLE", "here")
	o := files{}.options(t)
	o.Environ = nil
	if value, ok := config.Lookup(load(t, o).Environ, "AURA_TEST_VARIABLE"); !ok || value != "here" {
		t.Errorf("got %q, %v", value, ok)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	environ := []string{"=C:=x", "A=1", "A=2", "B=", "C=a=b", "D"}
	for name, want := range map[string]string{"A": "1", "B": "", "C": "a=b"} {
		if got, ok := config.Lookup(environ, name); !ok || got != want {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	if _, ok := config.Lookup(environ, "D"); ok {
		t.Error("an entry without a value is a variable")
	}
	if _, ok := config.Lookup(environ, "a"); ok != (runtime.GOOS == "windows") {
		t.Errorf("case counts: %v", !ok)
	}
}

func TestExpansion(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"${SET}":           "from the process",
		"a${SET}b${EMPTY}": "afrom the processb",
		"${FILE}":          "from the file",
		"${NESTED}":        "${SET}",
		"$SET":             "$SET",
		"$${SET}":          "${SET}",
		"$${a ${SET}":      "${a from the process",
		"$$${SET}":         "$${SET}",
		"$":                "$",
		"cost: $5 {x}":     "cost: $5 {x}",
	} {
		c := files{
			"work/secrets.env":           "FILE=from the file",
			project + "providers/p.yaml": "p: {type: ollama, token: '" + written + "', models: {include: ['" + written + "']}}",
			project + "agents/a.md":      "---\nname: a\ndescription: '" + written + "'\n---\n" + written,
			project + "features/p.yaml":  "plugins: {config: {global: {k: {deep: ['" + written + "']}}}}",
			project + "tasks/t.yaml":     "x: &anchor {env: {V: '" + written + "'}}\ny: *anchor\nz: {<<: *anchor}\n",
		}.load(t)
		p, a := c.Providers["p"], c.Agents["a"]
		deep, _ := c.Features.Plugins.Global["k"].(map[string]any)["deep"].([]any)
		got := []any{
			p.Token, p.Models.Include[0], a.Description, deep[0], c.Tasks["x"].Env["V"], c.Tasks["y"].Env["V"], c.Tasks["z"].Env["V"],
		}
		for i, value := range got {
			if value != want {
				t.Errorf("%s in place %d is %q, want %q", written, i, value, want)
			}
		}
		if a.Prompt != written {
			t.Errorf("the prompt %s became %s", written, a.Prompt)
		}
	}
}

// TestExpandedValuesAreText checks that inserted values are text, whatever they look like. They never become a key or a list, and a
// number only in the configuration of a plugin and without quotes.
func TestExpandedValuesAreText(t *testing.T) {
	t.Parallel()
	o := files{project + "features/p.yaml": `
plugins:
  config:
    global:
      a: "${NUMBER}"
      b: ${NUMBER}
      c: ${YAML}
      ${KEY}: 1
`}.options(t)
	o.Environ = []string{"NUMBER=5", "YAML=]: {x: y}\n# z", "KEY=k"}
	got := load(t, o).Features.Plugins.Global
	if got["a"] != "5" || got["b"] != 5 || got["${KEY}"] != 1 || got["c"] != "]: {x: y}\n# z" {
		t.Errorf("got %#v", got)
	}
}

// TestExpandedNumbers checks that an inserted value counts as a number or a boolean if one is expected, as if it had been written
// there.
func TestExpandedNumbers(t *testing.T) {
	t.Parallel()
	o := files{
		project + "features/t.yaml":  "tools: {max_steps: '${N}', read_before: {write: '${NO}'}}",
		project + "features/c.yaml":  "compaction:\n  threshold: ${HALF}\n",
		project + "agents/a.md":      "---\nname: ${N}\nhide: ${YES}\nmodel:\n  context: ${N}\nfeatures: {tools: {token_budget: '${N}'}}\n---\n",
		project + "tasks/t.yaml":     "t: {disabled: '${YES}', env: {A: '${N}'}}\nu: {inherit: [t]}",
		project + "providers/p.yaml": "p: {type: ollama, token: '${N}', retry: {max_attempts: \"${N}\"}}",
	}.options(t)
	o.Environ = []string{"N=12", "HALF=50.5", "YES=true", "NO=false"}
	c := load(t, o)
	a, p := c.Agents["12"], c.Providers["p"]
	f, err := c.FeaturesFor(a, config.Mode{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{
		f.Tools.MaxSteps, f.Tools.ReadBefore.Write, f.Tools.TokenBudget, f.Compaction.Threshold, a.Hide, a.Model.Context,
		c.Tasks["u"].Disabled, c.Tasks["u"].Env["A"], p.Token, p.Retry.MaxAttempts,
	}
	if want := []any{12, false, 12, 50.5, true, 12, true, "12", "12", 12}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	o = files{project + "features/t.yaml": "tools:\n  max_steps: ${N}\n"}.options(t)
	o.Environ = []string{"N=many"}
	_, err = config.Load(o)
	checkError(t, err, `t.yaml:2: key "tools.max_steps": expected a whole number, got text "many"`)
}

func TestExpandedDuration(t *testing.T) {
	t.Parallel()
	c := files{project + "providers/p.yaml": "p: {type: ollama, timeout: '${WAIT}'}"}.load(t)
	if got := c.Providers["p"].Timeout.String(); got != "3s" {
		t.Errorf("got %s", got)
	}
}

func TestExpansionRefused(t *testing.T) {
	t.Parallel()
	checkRefused(t, map[string]refused{
		"unset": {
			files{project + "providers/p.yaml": "p:\n  type: ollama\n  url: ${UNSET}\n"},
			[]string{`providers/p.yaml:3: key "p.url": the variable UNSET is not set`},
		},
		"unset beside set": {
			files{project + "providers/p.yaml": "p: {type: ollama, url: '${UNSET}${SET}'}"},
			[]string{`providers/p.yaml:1: key "p.url": the variable UNSET is not set`},
		},
		"in a list of frontmatter": {
			files{project + "agents/a.md": "---\nname: a\nfallback:\n  - b\n  - ${UNSET}\n---\n"},
			[]string{`agents/a.md:5: key "fallback[1]": the variable UNSET is not set`},
		},
		"in a task's environment": {
			files{project + "tasks/t.yaml": "t:\n  env:\n    A: ${UNSET}\n"},
			[]string{`tasks/t.yaml:3: key "t.env.A": the variable UNSET is not set`},
		},
		"in a plugin's configuration": {
			files{project + "features/plugins.yaml": "plugins:\n  config:\n    local:\n      x: {y: '${UNSET}'}\n"},
			[]string{`features/plugins.yaml:4: key "plugins.config.local.x.y": the variable UNSET is not set`},
		},
		"not a name": {
			files{project + "tasks/t.yaml": "t:\n  description: 'echo ${HOME:-x}'\n"},
			[]string{`tasks/t.yaml:2: key "t.description": "${HOME:-x}" is not a variable such as ${NAME}; write $${ for`},
		},
		"not closed": {
			files{project + "tasks/t.yaml": "t: {description: 'echo ${SET and'}\n"},
			[]string{`tasks/t.yaml:1: key "t.description": "${SET" is not a variable`},
		},
		"empty name": {
			files{project + "tasks/t.yaml": "t: {description: '${}'}\n"},
			[]string{`tasks/t.yaml:1: key "t.description": "${}" is not a variable`},
		},
	})
}
