package config_test

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestToolDefinitionFields(t *testing.T) {
	t.Parallel()
	c := files{project + "tools/deep/any.yaml": `
Bash:
  description: runs things
  usage: with care
  examples: |
    one
    two
  parallel: false
  disabled: true
  override: true
  condition: model_has:tools and not auto
Ls: {examples: [one, two], parallel: true}
mcp__docs__find: {condition: ""}
Read:
`}.load(t)
	got := c.ToolDefinitions["Bash"]
	no := false
	want := config.ToolDefinition{
		Name: "Bash", Source: got.Source, Description: "runs things", Usage: "with care", Examples: "one\ntwo\n",
		Parallel: &no, Disabled: true, Override: true, Condition: got.Condition,
	}
	if !reflect.DeepEqual(got, want) || got.Condition.String() != "model_has:tools and not auto" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if ls := c.ToolDefinitions["Ls"]; ls.Examples != "one\ntwo" || ls.Parallel == nil || !*ls.Parallel || !ls.Condition.IsZero() {
		t.Errorf("got %+v", ls)
	}
	for _, name := range []string{"mcp__docs__find", "Read"} {
		if got := c.ToolDefinitions[name]; got.Name != name || got.Parallel != nil || !got.Condition.IsZero() {
			t.Errorf("got %+v", got)
		}
	}
}

func TestToolDefinitionRefused(t *testing.T) {
	t.Parallel()
	const path = project + "tools/t.yaml"
	checkRefused(t, map[string]refused{
		"unknown key":       {files{path: "Ls:\n  usage: x\n  serial: true\n"}, []string{`t.yaml:3: unknown key "serial" in "Ls"; known keys: condition, description,`}},
		"duplicate key":     {files{path: "Ls:\n  usage: x\n  usage: y\n"}, []string{`t.yaml:3: duplicate key "Ls.usage"`}},
		"wrong type":        {files{path: "Ls:\n  parallel: perhaps\n"}, []string{`t.yaml:2: key "Ls.parallel": expected true or false`}},
		"wrong examples":    {files{path: "Ls:\n  examples: {a: b}\n"}, []string{`t.yaml:2: key "Ls.examples": expected text, or a list of texts`}},
		"unknown condition": {files{path: "Ls:\n  usage: x\n  condition: bogus\n"}, []string{`t.yaml:3: key "Ls.condition": parsing condition "bogus": unknown term "bogus"; known terms: auto, bash,`}},
		"broken condition":  {files{path: "Ls:\n  condition: auto and\n"}, []string{`t.yaml:2: key "Ls.condition": parsing condition "auto and": a term is missing`}},
		"wrong condition":   {files{path: "Ls:\n  condition: true\n"}, []string{`t.yaml:2: key "Ls.condition": expected text`}},
		"not a map":         {files{path: "- Ls\n"}, []string{`t.yaml:1: expected a mapping of keys`}},
	})
}
