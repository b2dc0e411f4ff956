package config_test

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestAgentFields(t *testing.T) {
	t.Parallel()
	c := files{project + "agents/base.md": "---\nname: base\n---\n", project + "agents/deep/any.md": `---
name: main
description: does things
inherit: [base]
default: true
hide: true
subagent: true
model:
  provider: p
  name: m
  context: 4096
  think: high
  capabilities: [tools]
  parameter_count: 8000000000
  family: f
  generation:
    temperature: 0
    top_p: 0.5
    top_k: 40
    max_output_tokens: 100
    frequency_penalty: 1
    presence_penalty: -1
    seed: 7
    stop: [END]
system: base
mode: careful
tools: {enabled: [Ls], disabled: ["mcp__*"], policy: {auto: [Ls], confirm: ["Bash:git push*"], deny: [Bash]}}
hooks: {enabled: [a], disabled: [b]}
features: {compaction: {threshold: 50}}
fallback: [other]
---
You are careful.
`}.load(t)
	got, ok := c.DefaultAgent()
	if !ok {
		t.Fatal("no default agent")
	}
	zero, half, minus, one, k, tokens, seed := 0.0, 0.5, -1.0, 1.0, 40, 100, 7
	want := config.Agent{
		Source: got.Source, Prompt: "You are careful.",
		Name: "main", Description: "does things", Inherit: []string{"base"}, Default: true, Hide: true, Subagent: true,
		Model: config.AgentModel{
			Provider: "p", Name: "m", Context: 4096, Think: config.ThinkHigh, Capabilities: []string{"tools"},
			ParameterCount: 8_000_000_000, Family: "f",
			Generation: config.Generation{
				Temperature: &zero, TopP: &half, TopK: &k, MaxOutputTokens: &tokens, FrequencyPenalty: &one, PresencePenalty: &minus,
				Seed: &seed, Stop: []string{"END"},
			},
		},
		PromptAt: config.Place{Source: got.Source, Line: 32},
		System:   "base", Mode: "careful",
		Tools: config.ToolFilter{
			Enabled: []string{"Ls"}, Disabled: []string{"mcp__*"},
			Policy: config.Policy{Auto: []string{"Ls"}, Confirm: []string{"Bash:git push*"}, Deny: []string{"Bash"}},
		},
		Hooks:    config.HookFilter{Enabled: []string{"a"}, Disabled: []string{"b"}},
		Features: map[string]any{"compaction": map[string]any{"threshold": 50}},
		Fallback: []string{"other"},
	}
	if listed := c.Agents["main"]; !reflect.DeepEqual(listed, got) {
		t.Errorf("the default agent is not the one in the list: %+v", listed)
	}
	// The unexported fields hold the locations of the file's keys. They are not compared.
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range w.NumField() {
		if f := w.Type().Field(i); f.IsExported() && !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s is %+v, want %+v", f.Name, g.Field(i), w.Field(i))
		}
	}
}

func TestThink(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]config.Think{
		"true": "on", "false": "off", "on": "on", "off": "off", "low": "low", "medium": "medium", "high": "high", "'low'": "low", "": "",
	} {
		c := files{project + "agents/a.md": "---\nname: a\nmodel:\n  think: " + written + "\n---\n"}.load(t)
		if got := c.Agents["a"].Model.Think; got != want {
			t.Errorf("%s is %q, want %q", written, got, want)
		}
	}
}

func TestAgentRefused(t *testing.T) {
	t.Parallel()
	const path = project + "agents/a.md"
	checkRefused(t, map[string]refused{
		"unknown key":       {files{path: "---\nname: a\ntool: x\n---\n"}, []string{`a.md:3: unknown key "tool"`}},
		"unknown inner key": {files{path: "---\nname: a\nmodel:\n  nam: x\n---\n"}, []string{`a.md:4: unknown key "nam" in "model"`}},
		"unknown knob":      {files{path: "---\nname: a\nmodel: {generation: {temprature: 1}}\n---\n"}, []string{`a.md:3: unknown key "temprature" in "model.generation"`}},
		"duplicate key":     {files{path: "---\nname: a\nname: b\n---\n"}, []string{`a.md:3: duplicate key "name"`}},
		"wrong type":        {files{path: "---\nname: a\ndefault: perhaps\n---\n"}, []string{`a.md:3: key "default": expected true or false`}},
		"wrong thinking":    {files{path: "---\nname: a\nmodel: {think: hard}\n---\n"}, []string{`a.md:3: key "model.think": expected true, false, low, medium or high`}},
		"list of thinking":  {files{path: "---\nname: a\nmodel: {think: [low]}\n---\n"}, []string{`a.md:3: key "model.think": expected true`}},
		"negative context":  {files{path: "---\nname: a\nmodel:\n  context: -1\n---\n"}, []string{`a.md:4: key "model.context": -1 is negative`}},
		"negative size":     {files{path: "---\nname: a\nmodel:\n  parameter_count: -1\n---\n"}, []string{`a.md:4: key "model.parameter_count": -1 is negative`}},
		"no output":         {files{path: "---\nname: a\nmodel:\n  generation: {max_output_tokens: 0}\n---\n"}, []string{`a.md:4: key "model.generation.max_output_tokens": 0 is less than 1`}},
		"blank name":        {files{path: "---\nname: ' '\n---\n"}, []string{`a.md:2: key "name": missing`}},
		"no name":           {files{path: "---\nhide: true\n---\n"}, []string{`a.md:2: key "name": missing`}},
		"no frontmatter":    {files{path: "Hello\n"}, []string{`a.md:1: key "name": missing`}},
		"open frontmatter":  {files{path: "---\nname: a\n"}, []string{`a.md:1: frontmatter`}},
	})
}

func TestDefaultAgent(t *testing.T) {
	t.Parallel()
	agent := func(name, rest string) string { return "---\nname: " + name + "\n" + rest + "---\n" }
	const marked = "default: true\n"
	tests := map[string]struct {
		files files
		want  string
	}{
		"none":            {files{project + "agents/a.md": agent("a", "")}, ""},
		"marked":          {files{project + "agents/a.md": agent("a", ""), project + "agents/b.md": agent("b", marked)}, "b"},
		"the user's":      {files{project + "agents/a.md": agent("a", ""), user + "agents/b.md": agent("b", marked)}, "b"},
		"project first":   {files{project + "agents/a.md": agent("a", marked), user + "agents/b.md": agent("b", marked)}, "a"},
		"replaced":        {files{project + "agents/b.md": agent("b", ""), user + "agents/b.md": agent("b", marked)}, ""},
		"no mark by name": {files{project + "agents/default.md": agent("default", "default: false\n")}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := tt.files.load(t).DefaultAgent()
			if got.Name != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v, want %q", got.Name, ok, tt.want)
			}
		})
	}
	checkRefused(t, map[string]refused{"two in one home": {
		files{project + "agents/a.md": agent("a", marked), project + "agents/b.md": agent("b", marked)},
		[]string{`agents/b.md:3: key "default": agent "a" is the default already, in `, "agents/a.md"},
	}})
}
