package config_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// places formats places relative to the root of the files.
func places(c *config.Config, list []config.Place) []string {
	var out []string
	for _, p := range list {
		file, err := filepath.Rel(filepath.Dir(c.Workdir), p.File)
		if err != nil {
			return []string{err.Error()}
		}
		out = append(out, fmt.Sprintf("%s:%d %s", filepath.ToSlash(file), p.Line, p.Home.Kind))
	}
	return out
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	c := files{
		user + "agents/a.md":           "---\nname: a\n---\n",
		project + "agents/x/b.md":      "---\ndescription: d\nname: a\n---\n",
		project + "commands/c.md":      "Do it.\n",
		project + "providers/p.yaml":   "one: {type: script}\n\ntwo:\n  type: script\n",
		user + "tasks/t.yaml":          "t: {commands: [x]}\n",
		project + "prompts/p.md":       "---\n\nname: p\n---\nP.\n",
		"work/.aura/skills/s/SKILL.md": "---\nname: s\n---\nS.\n",
	}.load(t)
	for _, row := range []struct {
		kind, name string
		want       []string
	}{
		{"agent", "a", []string{"work/.aura/config/agents/x/b.md:3 project", "me/.aura/config/agents/a.md:2 user"}},
		{"command", "c", []string{"work/.aura/config/commands/c.md:1 project"}},
		{"provider", "one", []string{"work/.aura/config/providers/p.yaml:1 project"}},
		{"provider", "two", []string{"work/.aura/config/providers/p.yaml:4 project"}},
		{"task", "t", []string{"me/.aura/config/tasks/t.yaml:1 user"}},
		{"prompt", "p", []string{"work/.aura/config/prompts/p.md:3 project"}},
		{"skill", "s", []string{"work/.aura/skills/s/SKILL.md:2 project"}},
		{"agent", "nobody", nil},
		{"nothing", "a", nil},
	} {
		if got := places(c, c.Places(row.kind, row.name)); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s %s: got %v, want %v", row.kind, row.name, got, row.want)
		}
	}
}

func TestFeaturePlaces(t *testing.T) {
	t.Parallel()
	c := files{
		user + "features/tools.yaml":    "tools:\n  max_steps: 5\n  disabled: [a,\n    b]\n",
		project + "features/tools.yaml": "tools:\n  token_budget:\n  bash:\n    timeout: 3s\n",
		project + "agents/base.md":      "---\nname: base\nfeatures: {tools: {max_steps: 6, opt_in: [x]}}\n---\n",
		project + "agents/heir.md":      "---\nname: heir\ninherit: [base]\nfeatures:\n  tools:\n    max_steps: 7\n---\n",
		project + "modes/m.md":          "---\nname: m\nfeatures: {compaction: {threshold: 9}}\n---\n",
		project + "tasks/t.yaml":        "t:\n  commands: [x]\n  features: {tools: {max_steps: 8}}\n",
	}.load(t)
	task := c.Tasks["t"]
	rows := map[string]struct {
		agent config.Agent
		mode  config.Mode
		task  *config.Task
		want  map[string]string
	}{
		"homes": {want: map[string]string{"tools.max_steps": "tools.yaml:2 user", "tools.disabled": "tools.yaml:3 user", "tools.bash.timeout": "tools.yaml:4 project"}},
		"agent": {agent: c.Agents["heir"], want: map[string]string{"tools.max_steps": "heir.md:6 project", "tools.opt_in": "base.md:3 project"}},
		"mode":  {mode: c.Modes["m"], want: map[string]string{"compaction.threshold": "m.md:3 project", "tools.max_steps": "tools.yaml:2 user"}},
		"task":  {agent: c.Agents["heir"], task: &task, want: map[string]string{"tools.max_steps": "t.yaml:3 project"}},
	}
	for name, row := range rows {
		got := c.FeaturePlaces(row.agent, row.mode, row.task)
		for key, want := range row.want {
			if at := strings.Join(places(c, []config.Place{got[key]}), ""); !strings.HasSuffix(at, "/"+want) {
				t.Errorf("%s: %s is set in %s, want %s", name, key, at, want)
			}
		}
		for _, unset := range []string{"tools.token_budget", "tools.bash", "tools", "plugins.unsafe"} {
			if p, ok := got[unset]; ok {
				t.Errorf("%s: %s is set in %s", name, unset, p.File)
			}
		}
	}
}
