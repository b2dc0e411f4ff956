package config_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestLeaveOut(t *testing.T) {
	t.Parallel()
	const good = "---\nname: good\n---\n"
	rows := []struct {
		name  string
		files files
		// faults holds a part of each fault, in any order. agents are those that remain.
		faults []string
		agents []string
		err    string
	}{
		{name: "nothing", files: files{project + "agents/good.md": good}, agents: []string{"good"}},
		{
			name:   "unknown key",
			files:  files{project + "agents/good.md": good, project + "agents/bad.md": "---\nnam: bad\n---\n"},
			faults: []string{"bad.md:2"}, agents: []string{"good"},
		},
		{
			name: "child of a faulty agent",
			files: files{
				project + "agents/good.md": good, project + "agents/bad.md": "---\nname: bad\nthink: 3\n---\n", project + "agents/child.md": "---\nname: child\ninherit: [bad]\n---\n",
			},
			faults: []string{"bad.md:3", "child.md:3"}, agents: []string{"good"},
		},
		{
			name: "parents in a circle",
			files: files{
				project + "agents/a.md": "---\nname: a\ninherit: [b]\n---\n", project + "agents/b.md": "---\nname: b\ninherit: [a]\n---\n", project + "agents/good.md": good,
			},
			faults: []string{"a.md:3", "b.md:3"}, agents: []string{"good"},
		},
		{
			name: "it does not uncover what it replaces",
			files: files{
				user + "agents/a.md": "---\nname: main\n---\n", user + "agents/good.md": good, project + "agents/other.md": "---\nname: main\nnot: a key\n---\n",
			},
			faults: []string{"other.md:3"}, agents: []string{"good"},
		},
		{
			name:   "hooks in a circle",
			files:  files{project + "hooks/h.yaml": "a: {event: pre, command: x, depends: [b]}\nb: {event: pre, command: x, depends: [a]}\n"},
			faults: []string{"h.yaml:1", "h.yaml:2"},
		},
		{name: "a limit", files: files{project + "tools/t.yaml": "Bash: {disabld: true}\n"}, err: "t.yaml:1"},
		{name: "a setting", files: files{project + "features/sandbox.yaml": "sandbox: {nothing: 1}\n"}, err: "sandbox.yaml:1"},
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := tt.files.options(t)
			if _, err := config.Load(o); (err == nil) != (len(tt.faults) == 0 && tt.err == "") {
				t.Errorf("a session reads it with error %v", err)
			}
			o.LeaveOut = true
			c, err := config.Load(o)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(maps.Keys(c.Agents)); !slices.Equal(got, tt.agents) {
				t.Errorf("got agents %v, want %v", got, tt.agents)
			}
			if len(c.Faults) != len(tt.faults) {
				t.Errorf("got faults %v, want %v", c.Faults, tt.faults)
			}
			for _, part := range tt.faults {
				if !slices.ContainsFunc(c.Faults, func(f config.FaultError) bool { return strings.Contains(f.Error(), part) }) {
					t.Errorf("got faults %v, want one with %s", c.Faults, part)
				}
			}
		})
	}
}

func TestChooseAgent(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, faulty, ask, want, err string
	}{
		{name: "the default", want: "good"},
		{name: "a faulty file without a default", faulty: "---\nnam: x\n---\n", want: "good"},
		{name: "a faulty file that may be the default", faulty: "---\nnam: x\ndefault: true\n---\n", err: "name an agent with --agent"},
		{name: "another agent", faulty: "---\nnam: x\ndefault: true\n---\n", ask: "good", want: "good"},
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			of := files{project + "agents/good.md": "---\nname: good\ndefault: true\n---\n"}
			if tt.faulty != "" {
				of[project+"agents/faulty.md"] = tt.faulty
			}
			o := of.options(t)
			o.LeaveOut = true
			c, err := config.Load(o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.ChooseAgent(tt.ask)
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q, %v, want %q, %q", got, err, tt.want, tt.err)
			}
		})
	}
}
