package config_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestAgentInherits has a family of agents in each row. The heir is checked.
func TestAgentInherits(t *testing.T) {
	t.Parallel()
	agent := func(name, front, body string) string { return "---\nname: " + name + "\n" + front + "---\n" + body }
	const base = "description: base\nhide: true\nsubagent: true\ndefault: true\nsystem: s\nmode: m\n" +
		"model: {provider: p, name: n, context: 10, think: low, generation: {temperature: 0.5, seed: 1}}\n" +
		"tools: {enabled: [a, b], disabled: [c], policy: {deny: [d]}}\nhooks: {disabled: [h]}\nfallback: [f]\n"
	half, seven, one := 0.5, 7, 1
	tests := map[string]struct {
		files files
		check func(a config.Agent) (got, want any)
	}{
		"everything": {
			files{"base": agent("base", base, "Base."), "heir": agent("heir", "inherit: [base]\n", "")},
			func(a config.Agent) (any, any) {
				a.Source = config.Source{}
				return []any{a.Name, a.Description, a.Hide, a.Subagent, a.System, a.Mode, a.Model, a.Tools, a.Hooks, a.Fallback, a.Prompt}, []any{
					"heir", "base", true, true, "s", "m",
					config.AgentModel{Provider: "p", Name: "n", Context: 10, Think: "low", Generation: config.Generation{Temperature: &half, Seed: &one}},
					config.ToolFilter{Enabled: []string{"a", "b"}, Disabled: []string{"c"}, Policy: config.Policy{Deny: []string{"d"}}},
					config.HookFilter{Disabled: []string{"h"}},
					[]string{"f"},
					"Base.",
				}
			},
		},
		"but not being the default": {
			files{"base": agent("base", base, ""), "heir": agent("heir", "inherit: [base]\n", "")},
			func(a config.Agent) (any, any) { return a.Default, false },
		},
		"nor what it inherits": {
			files{"old": agent("old", "", ""), "base": agent("base", "inherit: [old]\n", ""), "heir": agent("heir", "inherit: [base]\n", "")},
			func(a config.Agent) (any, any) { return a.Inherit, []string{"base"} },
		},
		"explicit settings stay": {
			files{"base": agent("base", base, "Base."), "heir": agent("heir", "inherit: [base]\nhide: false\nmode: ''\nmodel: {context: 0}\n", "Heir.")},
			func(a config.Agent) (any, any) {
				return []any{a.Hide, a.Mode, a.Model.Context, a.Model.Name, a.Prompt}, []any{false, "", 0, "n", "Heir."}
			},
		},
		"null is not set": {
			files{"base": agent("base", base, ""), "heir": agent("heir", "inherit: [base]\nmode:\ntools:\nmodel: {name: }\n", " \n ")},
			func(a config.Agent) (any, any) {
				return []any{a.Mode, a.Tools.Disabled, a.Model.Name}, []any{"m", []string{"c"}, "n"}
			},
		},
		"lists replace": {
			files{"base": agent("base", base, ""), "heir": agent("heir", "inherit: [base]\ntools: {enabled: [x], disabled: []}\n", "")},
			func(a config.Agent) (any, any) {
				return a.Tools, config.ToolFilter{Enabled: []string{"x"}, Disabled: []string{}, Policy: config.Policy{Deny: []string{"d"}}}
			},
		},
		"maps merge": {
			files{"base": agent("base", base, ""), "heir": agent("heir", "inherit: [base]\nmodel: {generation: {seed: 7}}\n", "")},
			func(a config.Agent) (any, any) {
				return a.Model.Generation, config.Generation{Temperature: &half, Seed: &seven}
			},
		},
		"features merge": {
			files{
				"base": agent("base", "features: {tools: {max_steps: 1, enabled: [a]}, plugins: {config: {local: {x: {a: 1, b: 1}}}}}\n", ""),
				"heir": agent("heir", "inherit: [base]\nfeatures: {tools: {enabled: [b]}, plugins: {config: {local: {x: {b: 2}}}}}\n", ""),
			},
			func(a config.Agent) (any, any) {
				return a.Features, map[string]any{
					"tools":   map[string]any{"max_steps": 1, "enabled": []any{"b"}},
					"plugins": map[string]any{"config": map[string]any{"local": map[string]any{"x": map[string]any{"a": 1, "b": 2}}}},
				}
			},
		},
		"the last parent wins": {
			files{
				"one": agent("one", "mode: one\nsystem: one\n", "One."), "two": agent("two", "mode: two\n", "Two."),
				"heir": agent("heir", "inherit: [one, two]\n", ""),
			},
			func(a config.Agent) (any, any) { return []any{a.Mode, a.System, a.Prompt}, []any{"two", "one", "Two."} },
		},
		"with all that it inherits": {
			files{
				"old": agent("old", "mode: old\nsystem: old\n", ""), "one": agent("one", "mode: one\nsystem: one\n", "One."),
				"two": agent("two", "inherit: [old]\nsystem: two\n", ""), "heir": agent("heir", "inherit: [one, two]\n", ""),
			},
			func(a config.Agent) (any, any) { return []any{a.Mode, a.System, a.Prompt}, []any{"old", "two", "One."} },
		},
		"a common parent": {
			files{
				"old": agent("old", "mode: old\nsystem: old\n", "Old."), "one": agent("one", "inherit: [old]\nmode: one\nsystem: one\n", "One."),
				"two": agent("two", "inherit: [old]\nsystem: two\n", ""), "heir": agent("heir", "inherit: [one, two]\n", ""),
			},
			func(a config.Agent) (any, any) { return []any{a.Mode, a.System, a.Prompt}, []any{"old", "two", "Old."} },
		},
		"grandparents": {
			files{
				"old": agent("old", "mode: old\nsystem: old\ndescription: old\n", "Old."),
				"mid": agent("mid", "inherit: [old]\nsystem: mid\ndescription: mid\n", ""), "heir": agent("heir", "inherit: [mid]\ndescription: heir\n", ""),
			},
			func(a config.Agent) (any, any) {
				return []any{a.Mode, a.System, a.Description, a.Prompt}, []any{"old", "mid", "heir", "Old."}
			},
		},
		"anchors and merged keys": {
			files{
				"base": agent("base", "model: &m {name: n, context: 3}\nfeatures: {plugins: {config: {global: {x: *m}}}}\n", ""),
				"heir": agent("heir", "inherit: [base]\nmodel: {<<: &m {family: f, name: merged}, name: own}\nfeatures: {plugins: {config: {global: {y: *m}}}}\n", ""),
			},
			func(a config.Agent) (any, any) {
				return []any{a.Model, a.Features["plugins"]}, []any{
					config.AgentModel{Name: "own", Context: 3, Family: "f"},
					map[string]any{"config": map[string]any{"global": map[string]any{
						"x": map[string]any{"name": "n", "context": 3}, "y": map[string]any{"family": "f", "name": "merged"},
					}}},
				}
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := files{}
			for file, content := range tt.files {
				all[project+"agents/"+file+".md"] = content
			}
			got, want := tt.check(all.load(t).Agents["heir"])
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, want)
			}
		})
	}
}

func TestModeInherits(t *testing.T) {
	t.Parallel()
	c := files{
		user + "modes/base.md":    "---\nname: base\nhide: true\ndescription: base\ntools: {enabled: [a], disabled: [b]}\nhooks: {enabled: [h]}\n---\nBase.\n",
		project + "modes/heir.md": "---\nname: heir\ninherit: [base]\ndescription: heir\ntools: {disabled: [c]}\n---\n",
	}.load(t)
	got := c.Modes["heir"]
	if got.Name != "heir" || got.Description != "heir" || !got.Hide || got.Prompt != "Base." ||
		!reflect.DeepEqual(got.Tools, config.ToolFilter{Enabled: []string{"a"}, Disabled: []string{"c"}}) || got.Hooks.Enabled[0] != "h" {
		t.Errorf("got %+v", got)
	}
}

func TestTaskInherits(t *testing.T) {
	t.Parallel()
	o := files{
		user + "tasks/base.yaml": `
base:
  disabled: true
  timeout: 5m
  workdir: sub
  vars: {A: base, B: base}
  env: {A: base, B: base}
  env_file: [home.env]
  pre: [make]
  commands: [one, two]
`,
		project + "tasks/t.yaml": `
heir: {inherit: [base], disabled: false, vars: {B: heir}, env: {B: heir, C: heir}, commands: [three], workdir: .}
lazy: {inherit: [base]}
broken: {inherit: [base], env_file: none.env, workdir: .}
astray: {inherit: [lost]}
lost:
  env_file: lost.env
`,
		"me/.aura/home.env": "FROM=home\nA=file\n",
	}.options(t)
	c := load(t, o)
	heir := c.Tasks["heir"]
	got := []any{heir.Name, heir.Disabled, heir.Timeout.String(), heir.Workdir, heir.Vars, heir.Env, heir.Pre, heir.Commands, heir.Inherit}
	want := []any{
		"heir", false, "5m0s", o.Workdir,
		map[string]string{"A": "base", "B": "heir"},
		map[string]string{"A": "base", "B": "heir", "C": "heir"},
		[]string{"make"},
		[]string{"three"},
		[]string{"base"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if lazy := c.Tasks["lazy"]; !lazy.Disabled || lazy.Workdir != filepath.Join(o.Workdir, "sub") || lazy.Source.Home != c.Homes[1] {
		t.Errorf("got %+v", lazy)
	}
	if base := c.Tasks["base"]; len(base.Vars) != 2 || base.Vars["B"] != "base" || len(base.Env) != 2 {
		t.Errorf("the heir changed its parent: %+v", base)
	}
	values, err := heir.Environment()
	if err != nil || !reflect.DeepEqual(values, map[string]string{"FROM": "home", "A": "base", "B": "heir", "C": "heir"}) {
		t.Errorf("the file that the parent names is looked for beside the parent: %v, %v", values, err)
	}
	_, err = c.Tasks["broken"].Environment()
	checkError(t, err, `preparing task broken: `, `work/.aura/config/tasks/t.yaml:4: key "broken.env_file": file "none.env" does not exist`)
	_, err = c.Tasks["astray"].Environment()
	checkError(t, err, `preparing task astray: `, `work/.aura/config/tasks/t.yaml:7: key "lost.env_file": file "lost.env" does not exist`)
	_, err = config.Task{Name: "x", EnvFile: config.Names{"none.env"}}.Environment()
	checkError(t, err, `preparing task x: `, `file "none.env" does not exist`)
}

func TestInheritRefused(t *testing.T) {
	t.Parallel()
	agent := func(name, rest string) string { return "---\nname: " + name + "\n" + rest + "---\n" }
	checkRefused(t, map[string]refused{
		"unknown parent": {
			files{project + "agents/a.md": agent("a", "inherit: [b]\n"), project + "agents/c.md": agent("c", "")},
			[]string{`agents/a.md:3: key "inherit": unknown agent "b" (a -> b); known: a, c`},
		},
		"unknown parent of a parent": {
			files{project + "agents/z.md": agent("z", "hide: true\ninherit:\n  - y\n  - x\n"), project + "agents/a.md": agent("a", "inherit: [z]\n"), project + "agents/y.md": agent("y", "")},
			[]string{`agents/z.md:6: key "inherit": unknown agent "x" (a -> z -> x); known: a, y, z`},
		},
		"itself": {files{project + "agents/a.md": agent("a", "inherit: [a]\n")}, []string{`agents/a.md:3: key "inherit": agent "a" inherits from itself: a -> a`}},
		"a circle": {
			files{project + "agents/a.md": agent("a", "inherit: [b]\n"), project + "agents/b.md": agent("b", "inherit: [c]\n"), project + "agents/c.md": agent("c", "hide: true\ninherit: [a]\n")},
			[]string{`agents/c.md:4: key "inherit": agent "a" inherits from itself: a -> b -> c -> a`},
		},
		"a circle further up": {
			files{project + "agents/a.md": agent("a", "inherit: [b]\n"), project + "agents/b.md": agent("b", "inherit: [c]\n"), project + "agents/c.md": agent("c", "inherit: [b]\n")},
			[]string{`agents/c.md:3: key "inherit": agent "b" inherits from itself: a -> b -> c -> b`},
		},
		"the one that is replaced": {
			files{project + "agents/a.md": agent("a", "inherit: [a]\n"), user + "agents/a.md": agent("a", "")},
			[]string{`work/.aura/config/agents/a.md:3: key "inherit": agent "a" inherits from itself`},
		},
		"another kind": {
			files{project + "agents/a.md": agent("a", ""), project + "modes/m.md": agent("m", "inherit: [a]\n")},
			[]string{`modes/m.md:3: key "inherit": unknown mode "a" (m -> a); known: ask, auto, edit, m, plan`},
		},
		"modes in a circle": {
			files{project + "modes/a.md": agent("a", "inherit: [b]\n"), project + "modes/b.md": agent("b", "inherit: [a]\n")},
			[]string{`modes/b.md:3: key "inherit": mode "a" inherits from itself: a -> b -> a`},
		},
		"unknown task":      {files{project + "tasks/t.yaml": "t:\n  inherit:\n    - u\n"}, []string{`t.yaml:3: key "t.inherit": unknown task "u" (t -> u); known: t`}},
		"tasks in a circle": {files{project + "tasks/t.yaml": "t: {inherit: [u]}\nu: {inherit: [t]}\n"}, []string{`t.yaml:2: key "u.inherit": task "t" inherits from itself: t -> u -> t`}},
		"wrong type":        {files{project + "agents/a.md": agent("a", "inherit: {b: c}\n")}, []string{`agents/a.md:3: key "inherit": expected a list, got a mapping`}},
		"prompts do not":    {files{project + "prompts/a.md": agent("a", "inherit: [b]\n")}, []string{`prompts/a.md:3: unknown key "inherit"`}},
	})
}
