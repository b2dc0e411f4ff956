package config_test

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestModeFields(t *testing.T) {
	t.Parallel()
	c := files{
		project + "modes/base.md": "---\nname: base\n---\n",
		project + "modes/deep/any.md": `---
name: careful
description: looks twice
inherit: [base]
hide: true
tools: {enabled: [Ls], disabled: ["mcp__*"], policy: {auto: [Ls], confirm: ["Bash:git push*"], deny: [Bash]}}
hooks: {enabled: [a], disabled: [b]}
features: {tools: {max_steps: 5}}
---

Think of {{ .Agent }}.

`,
	}.load(t)
	got := c.Modes["careful"]
	want := config.Mode{
		Prompt: "Think of {{ .Agent }}.", PromptAt: config.Place{Source: got.PromptAt.Source, Line: 11},
		Name: "careful", Description: "looks twice", Inherit: []string{"base"}, Hide: true,
		Tools: config.ToolFilter{
			Enabled: []string{"Ls"}, Disabled: []string{"mcp__*"},
			Policy: config.Policy{Auto: []string{"Ls"}, Confirm: []string{"Bash:git push*"}, Deny: []string{"Bash"}},
		},
		Hooks:    config.HookFilter{Enabled: []string{"a"}, Disabled: []string{"b"}},
		Features: map[string]any{"tools": map[string]any{"max_steps": 5}},
	}
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range w.NumField() {
		if f := w.Type().Field(i); f.IsExported() && !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s is %+v, want %+v", f.Name, g.Field(i), w.Field(i))
		}
	}
	if got.PromptAt.Home != c.Homes[1] {
		t.Errorf("the source is %+v", got.PromptAt.Source)
	}
}

func TestModeRefused(t *testing.T) {
	t.Parallel()
	const path = project + "modes/a.md"
	checkRefused(t, map[string]refused{
		"unknown key":       {files{path: "---\nname: a\nmodel: x\n---\n"}, []string{`a.md:3: unknown key "model"`}},
		"unknown inner key": {files{path: "---\nname: a\ntools:\n  enable: x\n---\n"}, []string{`a.md:4: unknown key "enable" in "tools"`}},
		"duplicate key":     {files{path: "---\nname: a\nname: b\n---\n"}, []string{`a.md:3: duplicate key "name"`}},
		"wrong type":        {files{path: "---\nname: a\nhide: perhaps\n---\n"}, []string{`a.md:3: key "hide": expected true or false`}},
		"no name":           {files{path: "---\nhide: true\n---\n"}, []string{`a.md:2: key "name": missing: a mode needs a name`}},
		"no frontmatter":    {files{path: "Hello\n"}, []string{`a.md:1: key "name": missing`}},
		"open frontmatter":  {files{path: "---\nname: a\n"}, []string{`a.md:1: frontmatter`}},
		"unset variable":    {files{path: "---\nname: a\ndescription: ${UNSET}\n---\n"}, []string{`a.md:3: key "description": the variable UNSET`}},
	})
}
