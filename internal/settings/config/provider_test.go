package config_test

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestProviderFields(t *testing.T) {
	t.Parallel()
	c := files{project + "providers/p.yaml": `
full:
  type: openai
  url: https://models.invalid/v1
  token: ${SET}
  timeout: 1m30s
  idle_timeout: 2m
  retry: {max_attempts: 4, base_delay: 250ms, max_delay: 5s}
  models: {include: ["a*"], exclude: [ab]}
  prices: {"a*": {input: 3, output: 15.5, cache_read: 0.3}}
demo: {type: script}
`}.load(t)
	got := c.Providers["full"]
	want := config.Provider{
		Name: "full", Source: got.Source, Type: config.ProviderOpenAI, URL: "https://models.invalid/v1", Token: "from the process", TokenFrom: []string{"SET"},
		Timeout: 90 * time.Second, IdleTimeout: 2 * time.Minute,
		Retry:  config.Retry{MaxAttempts: 4, BaseDelay: 250 * time.Millisecond, MaxDelay: 5 * time.Second},
		Models: config.Models{Include: []string{"a*"}, Exclude: []string{"ab"}},
		Prices: map[string]config.Prices{"a*": {Input: new(3.0), Output: new(15.5), CacheRead: new(0.3)}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if demo := c.Providers["demo"]; demo.Type != config.ProviderScript || demo.File != "" {
		t.Errorf("got %+v", demo)
	}
}

// TestTokenNotSet checks that a missing token makes only its own provider unusable.
func TestTokenNotSet(t *testing.T) {
	t.Parallel()
	c := files{project + "providers/p.yaml": `
usable: {type: openai, token: "${SET}"}
literal: {type: openai, token: "$${SET}"}
without:
  type: openai
  token: ${UNSET}
merged:
  <<: {token: "Bearer ${UNSET}"}
  type: openai
`}.load(t)
	for name, want := range map[string]string{"usable": "from the process", "literal": "${SET}"} {
		if p := c.Providers[name]; p.Usable() != nil || p.Token != want {
			t.Errorf("%s has %q, %v", name, p.Token, p.Usable())
		}
	}
	if p := c.Providers["literal"]; p.TokenFrom != nil {
		t.Errorf("the literal token comes from %q", p.TokenFrom)
	}
	for name, line := range map[string]string{"without": "6", "merged": "8"} {
		p := c.Providers[name]
		checkError(t, p.Usable(), `p.yaml:`+line+`: key "`+name+`.token": the variable UNSET is not set: set it`)
		if p.Token != "" {
			t.Errorf("%s has %q", name, p.Token)
		}
	}
}

// TestNoAddress checks that an address without http:// is an error only if its provider is used.
func TestNoAddress(t *testing.T) {
	t.Parallel()
	c := files{project + "providers/p.yaml": "host: {type: ollama, url: 'localhost:11434'}\nweb: {type: ollama, url: 'http://localhost:11434'}\n"}.load(t)
	checkError(t, c.Providers["host"].Usable(), `p.yaml:1: key "host.url": not an address: it begins with https:// or http://`)
	if err := c.Providers["web"].Usable(); err != nil {
		t.Error(err)
	}
}

func TestProviderTypes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"anthropic", "openai", "google", "ollama", "llamacpp", "openrouter", "script"} {
		c := files{project + "providers/p.yaml": "p: {type: " + name + "}"}.load(t)
		if got := c.Providers["p"].Type; string(got) != name {
			t.Errorf("got %s, want %s", got, name)
		}
	}
}

func TestProviderRefused(t *testing.T) {
	t.Parallel()
	const path = project + "providers/p.yaml"
	const known = "known types: anthropic, openai, google, ollama, llamacpp, openrouter, script"
	checkRefused(t, map[string]refused{
		"unknown key":       {files{path: "p:\n  type: script\n  ulr: x\n"}, []string{`p.yaml:3: unknown key "ulr" in "p"`}},
		"recording":         {files{path: "p:\n  type: script\n  recorder: x\n"}, []string{`p.yaml:3: unknown key "recorder" in "p"`}},
		"unknown inner key": {files{path: "p:\n  type: script\n  retry:\n    max: 3\n"}, []string{`p.yaml:4: unknown key "max" in "p.retry"`}},
		"duplicate key":     {files{path: "p:\n  type: script\n  type: script\n"}, []string{`p.yaml:3: duplicate key "p.type"`}},
		"wrong type":        {files{path: "p:\n  type: script\n  timeout: 3\n"}, []string{`p.yaml:3: key "p.timeout": expected a duration`}},
		"not a map":         {files{path: "- p\n"}, []string{`p.yaml:1: expected a mapping of keys`}},
		"syntax":            {files{path: "p: {type: script}\nq: [\n"}, []string{`p.yaml:2: `}},
		"no type":           {files{path: "\np:\n  url: x\n"}, []string{`p.yaml:3: key "p.type": missing; ` + known}},
		"nothing":           {files{path: "\n\np:\n"}, []string{`p.yaml:3: key "p.type": missing; ` + known}},
		"unknown type":      {files{path: "p:\n  url: x\n  type: opnai\n"}, []string{`p.yaml:3: key "p.type": unknown type "opnai"; ` + known}},
		"file without a script": {
			files{path: "p:\n  type: openai\n  file: x\n"}, []string{`p.yaml:3: key "p.file": only a provider of type script has a file`},
		},
		"negative timeout":  {files{path: "p:\n  type: openai\n  timeout: -1s\n"}, []string{`p.yaml:3: key "p.timeout": -1s is not positive: write`}},
		"no time":           {files{path: "p:\n  type: openai\n  timeout: 0s\n"}, []string{`p.yaml:3: key "p.timeout": 0s is not positive: write`}},
		"negative idle":     {files{path: "p:\n  type: openai\n  idle_timeout: -1s\n"}, []string{`p.yaml:3: key "p.idle_timeout": -1s is not positive: write`}},
		"no idle time":      {files{path: "p:\n  type: openai\n  idle_timeout: 0s\n"}, []string{`p.yaml:3: key "p.idle_timeout": 0s is not positive: write`}},
		"idle number":       {files{path: "p:\n  type: openai\n  idle_timeout: 30\n"}, []string{`p.yaml:3: key "p.idle_timeout": expected a duration`}},
		"idle nonsense":     {files{path: "p:\n  type: openai\n  idle_timeout: soon\n"}, []string{`p.yaml:3: key "p.idle_timeout": expected a duration`}},
		"no output price":   {files{path: "p:\n  type: openai\n  prices:\n    m: {input: 1}\n"}, []string{`p.yaml:4: key "p.prices.m.output": missing: write the price of a million tokens in US dollars`}},
		"negative price":    {files{path: "p:\n  type: openai\n  prices:\n    m: {input: -1, output: 1}\n"}, []string{`p.yaml:4: key "p.prices.m.input": -1 is not a price`}},
		"price of nothing":  {files{path: "p:\n  type: openai\n  prices:\n    m: {input: .nan, output: 1}\n"}, []string{`p.yaml:4: key "p.prices.m.input": NaN is not a price`}},
		"endless price":     {files{path: "p:\n  type: openai\n  prices:\n    m: {input: 1, output: .inf}\n"}, []string{`p.yaml:4: key "p.prices.m.output": +Inf is not a price`}},
		"fine price":        {files{path: "p:\n  type: openai\n  prices:\n    m: {input: 1, output: 1, cache_read: 0.0000001}\n"}, []string{`p.yaml:4: key "p.prices.m.cache_read": 1e-07 has more than six decimals`}},
		"price in words":    {files{path: "p:\n  type: openai\n  prices:\n    m: {input: $3, output: 1}\n"}, []string{`p.yaml:4: key "p.prices.m.input": expected a number`}},
		"unknown price":     {files{path: "p:\n  type: openai\n  prices:\n    m: {inputs: 3, output: 1}\n"}, []string{`p.yaml:4: unknown key "inputs" in "p.prices.m"`}},
		"idle script":       {files{path: "p:\n  type: script\n  idle_timeout: 1s\n"}, []string{`p.yaml:3: key "p.idle_timeout": a script is never silent`}},
		"text for a list":   {files{path: "p:\n  type: openai\n  models: {include: x}\n"}, []string{`p.yaml:3: key "p.models.include": expected a list, got text "x"`}},
		"negative attempts": {files{path: "p:\n  type: openai\n  retry: {max_attempts: -1}\n"}, []string{`p.yaml:3: key "p.retry.max_attempts": -1 is`}},
		"negative delay":    {files{path: "p:\n  type: openai\n  retry: {base_delay: -1s}\n"}, []string{`p.yaml:3: key "p.retry.base_delay": -1s is`}},
		"negative limit":    {files{path: "p:\n  type: openai\n  retry: {max_delay: -1s}\n"}, []string{`p.yaml:3: key "p.retry.max_delay": -1s is`}},
		"no script": {
			files{path: "p:\n  type: script\n  file: s.yaml\n"},
			[]string{
				`p.yaml:3: key "p.file": script "s.yaml" does not exist; looked for `, ".aura/config/providers/s.yaml, ",
				".aura/config/s.yaml, ", ".aura/s.yaml, ", "work/s.yaml",
			},
		},
		"script is a folder": {files{path: "p: {type: script, file: s}", project + "s/x": ""}, []string{`script "s" does not exist`}},
		"file that no provider plays": {
			files{path: "p: {type: script}", project + "providers/s.yaml": "turns: []"}, []string{`s.yaml:1: `},
		},
	})
}

func TestScriptFile(t *testing.T) {
	t.Parallel()
	const declared = project + "providers/deep/p.yaml"
	beside, inConfig, inHome := project+"providers/deep/played.yaml", project+"played.yaml", "work/.aura/played.yaml"
	tests := map[string]struct {
		file  string
		files files
		want  string
	}{
		"beside the declaration": {"played.yaml", files{beside: "", inConfig: "", inHome: "", "work/played.yaml": ""}, beside},
		"in config":              {"played.yaml", files{inConfig: "", inHome: "", "work/played.yaml": ""}, inConfig},
		"in the home":            {"played.yaml", files{inHome: "", "work/played.yaml": ""}, inHome},
		"in the workdir":         {"played.yaml", files{"work/played.yaml": ""}, "work/played.yaml"},
		"by a path":              {"../../scripts/s.yaml", files{project + "scripts/s.yaml": ""}, project + "scripts/s.yaml"},
		"by a variable":          {"${SCRIPT}", files{beside: ""}, beside},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.files[declared] = "p: {type: script, file: '" + tt.file + "'}"
			o := tt.files.options(t)
			want := filepath.Join(filepath.Dir(o.Workdir), tt.want)
			if got := load(t, o).Providers["p"].File; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	o := files{"elsewhere/s.yaml": "", declared: "p: {type: script, file: '${FILE}'}"}.options(t)
	absolute := filepath.Join(filepath.Dir(o.Workdir), "elsewhere", "s.yaml")
	o.Environ = []string{"FILE=" + absolute}
	if got := load(t, o).Providers["p"].File; got != absolute {
		t.Errorf("got %s, want %s", got, absolute)
	}
}

// TestScriptAmongProviders checks that a script among the providers' files is not read as a provider file, whatever it contains.
func TestScriptAmongProviders(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"script": "turns: [{text: a}]", "broken": "turns: [", "variable": "turns: [{text: '${UNSET}'}]", "provider": "p: {type: script}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := files{
				project + "providers/a-script.yaml":      script,
				project + "providers/more/b-script.yaml": script,
				project + "providers/p.yaml":             "p: {type: script, file: a-script.yaml}\nq:\n  type: script\n  file: more/b-script.yaml\n",
				user + "providers/p.yaml":                "r: {type: script, file: own.yml}",
				user + "providers/own.yml":               script,
			}.load(t)
			if len(c.Providers) != 3 {
				t.Errorf("got %+v", c.Providers)
			}
		})
	}
}
