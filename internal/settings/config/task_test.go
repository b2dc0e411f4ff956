package config_test

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestTaskFields(t *testing.T) {
	t.Parallel()
	o := files{project + "tasks/t.yaml": `
full:
  description: does things
  agent: a
  mode: m
  timeout: 5m
  workdir: sub
  tools: {enabled: [Ls], policy: {deny: [Bash]}}
  features: {plugins: {exclude: [x]}}
  vars: {K: v, N: 3}
  env: {LEVEL: ERROR, PORT: 8080}
  env_file: [a.env, b.env]
  pre: [make]
  commands: [/clear, do it]
  post: [make clean]
  inherit: [base]
  disabled: true
short: {env_file: one.env, inherit: [base]}
base: {}
empty:
`}.options(t)
	c := load(t, o)
	got := c.Tasks["full"]
	want := config.Task{
		Name: "full", Source: got.Source, Description: "does things", Agent: "a", Mode: "m", Timeout: 5 * time.Minute,
		Workdir:  filepath.Join(o.Workdir, "sub"),
		Tools:    config.ToolFilter{Enabled: []string{"Ls"}, Policy: config.Policy{Deny: []string{"Bash"}}},
		Features: map[string]any{"plugins": map[string]any{"exclude": []any{"x"}}},
		Vars:     map[string]string{"K": "v", "N": "3"},
		Env:      map[string]string{"LEVEL": "ERROR", "PORT": "8080"},
		EnvFile:  config.Names{"a.env", "b.env"},
		Pre:      []string{"make"}, Commands: []string{"/clear", "do it"}, Post: []string{"make clean"},
		Inherit: []string{"base"}, Disabled: true,
	}
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range w.NumField() {
		if f := w.Type().Field(i); f.IsExported() && !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s is %+v, want %+v", f.Name, g.Field(i), w.Field(i))
		}
	}
	short := c.Tasks["short"]
	if !reflect.DeepEqual(short.EnvFile, config.Names{"one.env"}) || !reflect.DeepEqual(short.Inherit, []string{"base"}) || short.Workdir != "" {
		t.Errorf("got %+v", short)
	}
	if empty, ok := c.Tasks["empty"]; !ok || empty.Name != "empty" {
		t.Errorf("got %+v", empty)
	}
}

func TestTaskRefused(t *testing.T) {
	t.Parallel()
	const path = project + "tasks/t.yaml"
	checkRefused(t, map[string]refused{
		"unknown key":      {files{path: "t:\n  agent: a\n  agnet: b\n"}, []string{`t.yaml:3: unknown key "agnet" in "t"`}},
		"duplicate key":    {files{path: "t:\n  agent: a\n  agent: b\n"}, []string{`t.yaml:3: duplicate key "t.agent"`}},
		"no name":          {files{path: "t: {}\n\"\": {agent: a}\n"}, []string{`t.yaml:2: key "": a name is missing`}},
		"wrong type":       {files{path: "t:\n  commands: do it\n"}, []string{`t.yaml:2: key "t.commands": expected a list`}},
		"wrong timeout":    {files{path: "t:\n  timeout: 5\n"}, []string{`t.yaml:2: key "t.timeout": expected a duration`}},
		"negative timeout": {files{path: "t:\n  agent: a\n  timeout: -5s\n"}, []string{`t.yaml:3: key "t.timeout": -5s is not positive: write`}},
		"no time":          {files{path: "t:\n  agent: a\n  timeout: 0s\n"}, []string{`t.yaml:3: key "t.timeout": 0s is not positive: write`}},
		"text for a list":  {files{path: "t:\n  inherit: u\n"}, []string{`t.yaml:2: key "t.inherit": expected a list, got text "u"`}},
		"wrong env file":   {files{path: "t:\n  env_file: {a: b}\n"}, []string{`t.yaml:2: key "t.env_file": expected text, or a list of texts`}},
		"wrong parent":     {files{path: "t:\n  inherit: [[a]]\n"}, []string{`t.yaml:2: key "t.inherit[0]": expected text, got a list`}},
		"wrong variable":   {files{path: "t:\n  env:\n    A: x\n    B=C: x\n"}, []string{`t.yaml:4: key "t.env.B=C": not a name of a variable`}},
	})
}

// TestTaskLines checks that a task's own lines can refer to the task's variables: the shell and the prompts expand them.
func TestTaskLines(t *testing.T) {
	t.Parallel()
	o := files{
		project + "tasks/t.yaml": `
lines:
  description: in ${PLACE}
  env: {LEVEL: high}
  env_file: more.env
  pre: ["echo ${LEVEL:-none} ${FILES[@]} ${PLACE}"]
  commands: ["${LEVEL} ${MORE} ${PLACE} $LEVEL $${LEVEL}", "/clear"]
  post: ["echo ${UNSET}"]
child: {inherit: [lines], env: {LEVEL: low}}
missing:
  commands:
    - fine
    - "Say ${NOWHERE}"
`,
		"work/more.env": "MORE=more\nLEVEL=file\n",
	}.options(t)
	o.Environ = []string{"PLACE=here", "LEVEL=process"}
	c := load(t, o)
	task := c.Tasks["lines"]
	if task.Description != "in here" || task.Pre[0] != "echo ${LEVEL:-none} ${FILES[@]} ${PLACE}" || task.Post[0] != "echo ${UNSET}" {
		t.Errorf("got %+v", task)
	}
	for name, want := range map[string]string{"lines": "high more here $LEVEL ${LEVEL}", "child": "low more here $LEVEL ${LEVEL}"} {
		if got, err := c.Tasks[name].Prompts(c.Environ); err != nil || !reflect.DeepEqual(got, []string{want, "/clear"}) {
			t.Errorf("%s has %q, %v, want %q", name, got, err, want)
		}
	}
	_, err := c.Tasks["missing"].Prompts(c.Environ)
	checkError(t, err, "preparing task missing: ", `t.yaml:13: key "missing.commands[1]": the variable NOWHERE is not set`)
}

func TestTaskEnvironment(t *testing.T) {
	t.Parallel()
	o := files{
		project + "tasks/t.yaml": `
plain: {env: {A: task}}
none: {}
layered:
  env: {C: task}
  env_file: [one.env, two.env]
elsewhere: {workdir: sub, env_file: one.env}
from-home: {env_file: home.env}
missing:
  env: {A: task}
  env_file: [one.env, none.env]
broken: {env_file: broken.env}
`,
		"work/one.env":        "A=one\nB=one\nC=one\n",
		"work/two.env":        "B=two\nC=two\n",
		"work/sub/one.env":    "A=sub\n",
		"work/.aura/home.env": "A=home\n",
		"work/.aura/one.env":  "A=home\n",
		"work/broken.env":     "A=1\nhunter2\n",
	}.options(t)
	c := load(t, o)
	for name, want := range map[string]map[string]string{
		"plain":     {"A": "task"},
		"none":      {},
		"layered":   {"A": "one", "B": "two", "C": "task"},
		"elsewhere": {"A": "sub"},
		"from-home": {"A": "home"},
	} {
		got, err := c.Tasks[name].Environment()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, %v, want %v", name, got, err, want)
		}
	}
	_, err := c.Tasks["missing"].Environment()
	checkError(t, err, `preparing task missing: `, `t.yaml:11: key "missing.env_file": file "none.env" does not exist; looked for `,
		"work/none.env, ", "work/.aura/none.env")
	_, err = c.Tasks["broken"].Environment()
	checkError(t, err, `preparing task broken: `, "work/broken.env:2: expected NAME=value")

	absolute := config.Task{EnvFile: config.Names{filepath.Join(o.Workdir, "two.env")}}
	if got, err := absolute.Environment(); err != nil || got["B"] != "two" {
		t.Errorf("absolute file: %v, %v", got, err)
	}
}
