package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// shownFiles returns a project with entities of all kinds, and with secrets in all places where they can occur.
func shownFiles() map[string]string {
	return map[string]string{
		"home/config/agents/main.md":       "---\nname: main\ndescription: of the user\n---\nUser.\n",
		"home/config/features/tools.yaml":  "tools:\n  max_steps: 7\n  disabled: [Mkdir]\n",
		".aura/config/agents/base.md":      "---\nname: base\nhide: true\nmodel: {provider: real, name: big, generation: {temperature: 0.5}}\nmode: quiet\n---\nBase.\n",
		".aura/config/agents/main.md":      "---\ndescription: of the project\nname: main\ndefault: true\ninherit: [base]\nfeatures: {tools: {max_steps: 9}}\n---\n",
		".aura/config/modes/quiet.md":      "---\nname: quiet\nfeatures: {compaction: {threshold: 50}}\n---\nHush.\n",
		".aura/config/prompts/p.md":        "---\nname: p\n---\nKnow s3cret-in-env.\n",
		".aura/config/providers/real.yaml": "real:\n  type: openai\n  url: https://me:pw123456@host/v1?key=abcdef\n  token: tok-0123456789\n  timeout: 5s\n",
		".aura/config/tasks/t.yaml":        "t: {description: D, commands: [go], env: {PLAIN: value-of-plain}, pre: ['echo tok-0123456789'], disabled: true}\n",
		".aura/config/hooks/h.yaml":        "h: {event: post, matcher: Write, command: 'curl -H s3cret-in-env', timeout: 3}\n",
		".aura/config/commands/c.md":       "---\ndescription: C\n---\nDo $1.\n",
		".aura/skills/s.md":                "---\nname: s\ndescription: S\n---\nSkill.\n",
		".aura/config/features/plugins.yaml": "plugins:\n  dir: elsewhere\n  config:\n    global: {verbose: true}\n" +
			"    local: {gotify: {url: 'https://g', token: gotify-token, level: 3}}\n",
		"secrets.env": "MY_TOKEN=s3cret-in-env\n",
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	dir := filled(t, shownFiles())
	rows := []struct {
		name   string
		args   []string
		code   int
		want   []string // patterns of lines, with runs of blanks reduced to one
		absent []string
	}{
		{name: "overview", want: []string{
			"project home: DIR/.aura", "user home: DIR/home", "KIND NAME STATUS FROM", "agents base hidden DIR/.aura/config/agents/base.md:2",
			"agents main default, hidden DIR/.aura/config/agents/main.md:3", "modes quiet - DIR/.aura/config/modes/quiet.md:2",
			"hooks h - DIR/.aura/config/hooks/h.yaml:1", "features tools - DIR/home/config/features/tools.yaml",
			"features compaction - defaults", "tasks t disabled DIR/.aura/config/tasks/t.yaml:1",
		}},
		{name: "a kind", args: []string{"agents"}, want: []string{
			"NAME STATUS DESCRIPTION FROM", "main default, hidden of the project DIR/.aura/config/agents/main.md:3",
		}},
		{name: "one agent, inherited settings and all", args: []string{"agents", "main"}, want: []string{
			"agent main", "file DIR/.aura/config/agents/main.md:3", "home project", "shadows DIR/home/config/agents/main.md:2", "inherit base",
			"model.provider real", "model.name big", "model.generation.temperature 0.5", "mode quiet", "features.tools.max_steps 9", "Base.",
		}},
		{name: "in the singular", args: []string{"mode", "quiet"}, want: []string{"mode quiet", "features.compaction.threshold 50", "Hush."}},
		{name: "a provider without its token", args: []string{"providers", "real"}, want: []string{
			"type openai", "url https://...@host/v1?...", "token (set, not shown)", "timeout 5s",
		}},
		{name: "a task without its variables", args: []string{"tasks", "t"}, want: []string{
			"env.PLAIN (set, not shown)", "pre echo (set, not shown)", "commands go", "disabled true",
		}},
		{name: "a prompt without the secret in it", args: []string{"prompts", "p"}, want: []string{"Know (set, not shown)."}},
		{name: "a hook", args: []string{"hooks", "h"}, want: []string{"event post", "command curl -H (set, not shown)", "timeout 3s", "matcher Write"}},
		{name: "a skill", args: []string{"skills", "s"}, want: []string{"description S", "Skill."}},
		{name: "a command", args: []string{"commands", "c"}, want: []string{"command c", "Do $1."}},
		{name: "features", args: []string{"features"}, want: []string{
			"KEY VALUE FROM", "tools.max_steps 7 DIR/home/config/features/tools.yaml:2", "tools.disabled Mkdir DIR/home/config/features/tools.yaml:3",
			"compaction.threshold 80 default", "plugins.dir DIR/.aura/elsewhere, DIR/home/plugins DIR/.aura/config/features/plugins.yaml:2",
			"plugins.config.global.verbose true DIR/.aura/config/features/plugins.yaml:4",
			"plugins.config.local.gotify.token (set, not shown) DIR/.aura/config/features/plugins.yaml:5",
			"plugins.config.local.gotify.level 3 DIR/.aura/config/features/plugins.yaml:5", "tools.bash.timeout 2m0s default",
		}},
		{name: "a feature for an agent and its mode", args: []string{"features", "tools", "--agent", "main"}, want: []string{
			"tools.max_steps 9 DIR/.aura/config/agents/main.md:6",
		}, absent: []string{"compaction."}},
		{name: "a feature for a mode", args: []string{"features", "compaction", "--mode", "quiet"}, want: []string{
			"compaction.threshold 50 DIR/.aura/config/modes/quiet.md:3",
		}},
		{name: "the mode of an agent", args: []string{"features", "compaction", "--agent", "main"}, want: []string{
			"compaction.threshold 50 DIR/.aura/config/modes/quiet.md:3",
		}},
		{name: "no such kind", args: []string{"agentz"}, code: exitUsage, want: []string{
			`aura: aura show: unknown kind "agentz"; known kinds: agents, modes, prompts, providers, hooks, features, tasks, skills, commands`,
		}},
		{name: "no such name", args: []string{"agents", "x"}, code: exitError, want: []string{
			`aura: showing agent "x": it does not exist; known agents: base, main`,
		}},
		{name: "no such agent", args: []string{"features", "--agent", "x"}, code: exitError, want: []string{
			`aura: choosing agent "x": it does not exist; known agents: base, main`,
		}},
		{name: "too much", args: []string{"agents", "a", "b"}, code: exitUsage, want: []string{"aura: aura show takes [KIND] [NAME]"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := in(t, dir, append([]string{"show"}, row.args...)...)
			if code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			got := strings.ReplaceAll(stdout+stderr, dir, "DIR")
			lines := map[string]bool{}
			for line := range strings.Lines(got) {
				lines[strings.Join(strings.Fields(line), " ")] = true
			}
			for _, want := range row.want {
				if !lines[want] {
					t.Errorf("no line %q in\n%s", want, got)
				}
			}
			checkSecrets(t, got, row.absent...)
		})
	}
}

// checkSecrets fails if the text contains any of the secrets of shownFiles.
func checkSecrets(t *testing.T, text string, more ...string) {
	t.Helper()
	for _, secret := range append(more, "tok-0123456789", "pw123456", "abcdef", "value-of-plain", "s3cret-in-env", "gotify-token") {
		if strings.Contains(text, secret) {
			t.Errorf("%q is shown in\n%s", secret, text)
		}
	}
}

func TestShowJSON(t *testing.T) {
	t.Parallel()
	dir := filled(t, shownFiles())
	var all map[string][]map[string]any
	_, stdout, _ := in(t, dir, "show", "--json")
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || len(all) != len(shownKinds) {
		t.Fatalf("%d kinds, %v", len(all), err)
	}
	checkSecrets(t, stdout)
	var agent struct {
		Kind, Name, Status, File, Home, Body string
		Line                                 int
		Shadows                              []struct{ File string }
		Settings                             struct {
			Model struct{ Provider string }
		}
	}
	_, stdout, _ = in(t, dir, "show", "agents", "main", "--json")
	if err := json.Unmarshal([]byte(stdout), &agent); err != nil {
		t.Fatal(err)
	}
	if agent.Kind != "agent" || agent.Name != "main" || agent.Line != 3 || agent.Home != "project" || len(agent.Shadows) != 1 ||
		agent.Settings.Model.Provider != "real" || agent.Body != "Base." || agent.Status != "default, hidden" || agent.File == "" {
		t.Errorf("got %s", stdout)
	}
	var features []struct {
		Name     string
		Settings map[string]any
		Origins  map[string]struct{ Line int }
	}
	_, stdout, _ = in(t, dir, "show", "features", "--json")
	if err := json.Unmarshal([]byte(stdout), &features); err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		if f.Name == "tools" && (f.Settings["max_steps"] != 7.0 || f.Origins["tools.max_steps"].Line != 2) {
			t.Errorf("got %s", stdout)
		}
	}
	_, stdout, _ = in(t, t.TempDir(), "show", "tasks", "--json")
	if strings.TrimSpace(stdout) != "[]" {
		t.Errorf("got %s", stdout)
	}
}

func TestShowNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code, stdout, _ := in(t, dir, "show"); code != exitDone || !strings.Contains(stdout, "not configured: agents, prompts, providers, hooks, tasks, skills, commands") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if code, stdout, _ := in(t, dir, "show", "agents"); code != exitDone || stdout != "no agents are configured\n" {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if code, _, stderr := in(t, dir, "show", "agents", "x"); code != exitError || !strings.Contains(stderr, "known agents: -") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestShowOneDefault checks that only one default agent is in effect if two homes each have one.
func TestShowOneDefault(t *testing.T) {
	t.Parallel()
	dir := filled(t, map[string]string{
		"home/config/agents/a.md":  "---\nname: usual\ndefault: true\n---\n",
		".aura/config/agents/b.md": "---\nname: here\ndefault: true\n---\n",
	})
	_, stdout, _ := in(t, dir, "show", "agents")
	if got := strings.Join(strings.Fields(stdout), " "); strings.Count(got, "default") != 1 || !strings.Contains(got, "here default") {
		t.Errorf("got %s", stdout)
	}
}
