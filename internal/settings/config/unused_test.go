package config_test

import (
	"strings"
	"testing"
)

// TestUnused checks which parts of a configuration are reported because they have no effect, and which are not.
func TestUnused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files files
		// want is empty if nothing is reported.
		want []string
	}{
		"a folder in the singular": {files{project + "agent/a.md": "x"}, []string{`config/agent is not read; did you mean "agents"?`}},
		"letters in another order": {files{project + "mpc/a.yaml": "x"}, []string{`config/mpc is not read; did you mean "mcp"?`}},
		"another case":             {files{project + "Hooks/a.yaml": "x"}, []string{`config/Hooks is not read; did you mean "hooks"?`}},
		"beside config":            {files{"work/.aura/plugin/a/plugin.yaml": "x"}, []string{`.aura/plugin is not read; did you mean "plugins"?`}},
		"of the user":              {files{user + "task/a.yaml": "x"}, []string{`config/task is not read; did you mean "tasks"?`}},
		"all that are read":        {files{project + "agents/a.txt": "", project + "features/a.txt": "", "work/.aura/skills/a.txt": ""}, nil},
		"a folder of one's own":    {files{project + "scripts/a.yaml": "x", project + ".hook/a": "x"}, nil},
		"a file":                   {files{project + "agent": "x"}, nil},
		"a task without commands":  {files{project + "tasks/t.yaml": "t: {description: d}\n"}, []string{`task "t" has no commands, so it cannot run`}},
		"a task with commands":     {files{project + "tasks/t.yaml": "t: {commands: [x]}\n"}, nil},
		"a disabled task":          {files{project + "tasks/t.yaml": "t: {disabled: true}\n"}, nil},
		"a task to start from":     {files{project + "tasks/t.yaml": "t: {}\nu: {inherit: [t], commands: [x]}\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := load(t, tt.files.options(t)).Notices
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}
