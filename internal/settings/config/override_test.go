package config_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestFeatureRefusedWherever applies each row to all places where features can be set.
func TestFeatureRefusedWherever(t *testing.T) {
	t.Parallel()
	indented := func(content string) string {
		return "    " + strings.ReplaceAll(strings.TrimSpace(content), "\n", "\n    ") + "\n"
	}
	markdown := func(content string) string { return "---\nname: a\nfeatures:\n" + indented(content) + "---\n" }
	places := map[string]struct {
		path, prefix string
		// above is the number of lines above the content.
		above int
		file  func(content string) string
	}{
		"features": {"features/x.yaml", "", 0, func(content string) string { return content }},
		"agent":    {"agents/x.md", "features.", 3, markdown},
		"mode":     {"modes/x.md", "features.", 3, markdown},
		"task":     {"tasks/x.yaml", "a.features.", 2, func(content string) string { return "a:\n  features:\n" + indented(content) }},
	}
	for place, p := range places {
		rows := map[string]refused{}
		for name, row := range featureRows {
			if name == "unknown feature" && place == "features" {
				continue
			}
			var line int
			var rest string
			if _, err := fmt.Sscanf(row.want, ":%d:", &line); err != nil {
				t.Fatal(err)
			}
			_, rest, _ = strings.Cut(row.want[1:], ":")
			if strings.Contains(rest, "%s") {
				rest = strings.ReplaceAll(rest, "%s", p.prefix)
			}
			rows[place+"/"+name] = refused{files{project + p.path: p.file(row.content)}, []string{fmt.Sprintf("%s:%d:%s", p.path, line+p.above, rest)}}
		}
		checkRefused(t, rows)
	}
	checkRefused(t, map[string]refused{
		"unknown feature": {files{project + "features/x.yaml": "vision: {}\n"}, []string{`x.yaml:1: unknown key "vision"; known keys: acp, compaction, instructions, plugins, record, sandbox, screen, tools`}},
		"known ones":      {files{project + "agents/x.md": markdown("vision: {}\n")}, []string{`x.md:4: unknown key "vision" in "features"; known keys: acp, compaction, instructions, plugins, record, sandbox, screen, tools`}},
		"plugins elsewhere": {
			files{project + "agents/x.md": markdown("plugins:\n  dir: x\n")},
			[]string{`x.md:5: key "features.plugins.dir": a directory of plugins belongs to a home`},
		},
		"not features": {files{project + "tasks/x.yaml": "a:\n  features: [x]\n"}, []string{`x.yaml:2: key "a.features": expected a mapping`}},
	})
}

// layered sets a different value in every layer, and one value in all of them.
var layered = files{
	project + "features/tools.yaml":      "tools: {max_steps: 2, token_budget: 2, result: {max_tokens: 2}, bash: {timeout: 2s}, enabled: [global], policy: {deny: [g], auto: [g]}}",
	project + "features/compaction.yaml": "compaction: {threshold: 2}",
	project + "features/plugins.yaml":    "plugins: {exclude: [g], config: {global: {g: 1, both: 1}}}",
	project + "agents/a.md":              "---\nname: a\nfeatures: {tools: {max_steps: 3, token_budget: 3, result: {max_tokens: 3}}, plugins: {config: {global: {both: 2.0}}}}\n---\n",
	project + "agents/plain.md":          "---\nname: plain\n---\n",
	project + "modes/m.md":               "---\nname: m\nfeatures: {tools: {max_steps: 4, token_budget: 4, policy: {deny: []}}, compaction: {threshold: 4}}\n---\n",
	project + "tasks/t.yaml":             "t: {features: {tools: {max_steps: 5, enabled: [task], bash: {truncation: {head_lines: 0}}}, plugins: {exclude: []}}}",
}

func TestFeaturesFor(t *testing.T) {
	t.Parallel()
	c := layered.load(t)
	global := defaults()
	global.Tools.MaxSteps, global.Tools.TokenBudget, global.Tools.Result.MaxTokens = 2, 2, 2
	global.Tools.Bash.Timeout, global.Tools.Enabled = config.Timeout(2*time.Second), []string{"global"}
	global.Tools.Policy, global.Compaction.Threshold = config.Policy{Deny: []string{"g"}, Auto: []string{"g"}}, 2
	with := func(f config.Features, changes ...func(f *config.Features)) config.Features {
		for _, change := range changes {
			change(&f)
		}
		return f
	}
	agent := func(f *config.Features) { f.Tools.MaxSteps, f.Tools.TokenBudget, f.Tools.Result.MaxTokens = 3, 3, 3 }
	mode := func(f *config.Features) {
		f.Tools.MaxSteps, f.Tools.TokenBudget, f.Tools.Policy.Deny, f.Compaction.Threshold = 4, 4, []string{}, 4
	}
	task := func(f *config.Features) {
		f.Tools.MaxSteps, f.Tools.Enabled, f.Tools.Bash.Truncation.HeadLines = 5, []string{"task"}, 0
	}
	tests := map[string]struct {
		agent, mode, task string
		want              config.Features
	}{
		"nothing chosen":     {"", "", "", global},
		"nothing overridden": {"plain", "", "", global},
		"agent":              {"a", "", "", with(global, agent)},
		"mode":               {"", "m", "", with(global, mode)},
		"task":               {"", "", "t", with(global, task)},
		"agent, then mode":   {"a", "m", "", with(global, agent, mode)},
		"mode, then task":    {"", "m", "t", with(global, mode, task)},
		"all":                {"a", "m", "t", with(global, agent, mode, task)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var task *config.Task
			if chosen, ok := c.Tasks[tt.task]; ok {
				task = &chosen
			}
			got, err := c.FeaturesFor(c.Agents[tt.agent], c.Modes[tt.mode], task)
			if err != nil {
				t.Fatal(err)
			}
			checkFeatures(t, got, tt.want)
		})
	}
	checkFeatures(t, c.Features, global)
}

func TestFeaturesForPlugins(t *testing.T) {
	t.Parallel()
	c := layered.load(t)
	task := c.Tasks["t"]
	got, err := c.FeaturesFor(c.Agents["a"], config.Mode{}, &task)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Plugins{Exclude: []string{}, Global: map[string]any{"g": 1, "both": 2.0}, Local: map[string]map[string]any{}}
	if !reflect.DeepEqual(got.Plugins, want) {
		t.Errorf("got %#v, want %#v", got.Plugins, want)
	}
	if kept := c.Features.Plugins; kept.Global["both"] != 1 || len(kept.Exclude) != 1 {
		t.Errorf("the configuration changed: %#v", kept)
	}
}

func TestFeaturesForInherited(t *testing.T) {
	t.Parallel()
	c := files{
		project + "agents/base.md": "---\nname: base\nfeatures: {tools: {max_steps: 3, token_budget: 3, enabled: [a, b]}}\n---\n",
		project + "agents/a.md":    "---\nname: a\ninherit: [base]\nfeatures: {tools: {max_steps: 4, enabled: [c]}}\n---\n",
	}.load(t)
	got, err := c.FeaturesFor(c.Agents["a"], config.Mode{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Tools.MaxSteps, want.Tools.TokenBudget, want.Tools.Enabled = 4, 3, []string{"c"}
	checkFeatures(t, got, want)
}

// TestFeaturesForSideBySide checks that concurrent sessions can share one configuration.
func TestFeaturesForSideBySide(t *testing.T) {
	t.Parallel()
	c := layered.load(t)
	task := c.Tasks["t"]
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if f, err := c.FeaturesFor(c.Agents["a"], c.Modes["m"], &task); err != nil || f.Tools.MaxSteps != 5 {
				t.Errorf("got %+v, %v", f.Tools, err)
			}
		})
	}
	wait.Wait()
}

func TestFeaturesForRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files files
		want  string
	}{
		"unknown agent": {
			files{project + "features/c.yaml": "compaction:\n  agent: none\n"},
			`features/c.yaml:2: key "compaction.agent": unknown agent "none"; known: a, base`,
		},
		"unknown prompt": {
			files{project + "features/c.yaml": "compaction:\n  prompt: none\n"},
			`features/c.yaml:2: key "compaction.prompt": unknown prompt "none"; known: none`,
		},
		"in the agent":  {files{project + "agents/a.md": "---\nname: a\nfeatures:\n  compaction:\n    agent: none\n---\n"}, `agents/a.md:5: key "features.compaction.agent": unknown`},
		"in a parent":   {files{project + "agents/base.md": "---\nname: base\nfeatures:\n  compaction: {agent: none}\n---\n"}, `agents/base.md:4: key "features.compaction.agent": unknown`},
		"in the mode":   {files{project + "modes/m.md": "---\nname: m\nfeatures:\n  compaction:\n    prompt: none\n---\n"}, `modes/m.md:5: key "features.compaction.prompt": unknown`},
		"in the task":   {files{project + "tasks/t.yaml": "t:\n  features:\n    compaction: {agent: none}\n"}, `tasks/t.yaml:3: key "t.features.compaction.agent": unknown`},
		"the last only": {files{project + "features/c.yaml": "compaction: {agent: none}\n", project + "tasks/t.yaml": "t: {features: {compaction: {agent: ''}}}"}, ""},
		"known":         {files{project + "features/c.yaml": "compaction: {agent: a, prompt: p}\n", project + "prompts/p.md": "---\nname: p\n---\n"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := files{project + "agents/a.md": "---\nname: a\ninherit: [base]\n---\n", project + "agents/base.md": "---\nname: base\n---\n"}
			maps.Copy(all, tt.files)
			c := all.load(t)
			task := c.Tasks["t"]
			_, err := c.FeaturesFor(c.Agents["a"], c.Modes["m"], &task)
			if tt.want != "" {
				checkError(t, err, tt.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	c := files{}.load(t)
	_, err := c.FeaturesFor(config.Agent{Name: "made up", Features: map[string]any{"tools": nil}}, config.Mode{}, nil)
	checkError(t, err, `agent "made up" sets some, but is not part of the configuration`)
}
