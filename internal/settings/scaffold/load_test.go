package scaffold_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/settings/config"
)

// load reads only the given home, strictly, with keys for all services.
func load(t *testing.T, home string) *config.Config {
	t.Helper()
	none := ""
	c, err := config.Load(config.Options{
		Configs: []string{home}, Home: &none, Workdir: filepath.Dir(home), EnvFiles: []string{},
		Environ: []string{"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=b", "GEMINI_API_KEY=c", "OPENROUTER_API_KEY=d"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFreshHomeLoads(t *testing.T) {
	t.Parallel()
	c := load(t, fill(t))
	for kind, row := range map[string]struct {
		got  []string
		want string
	}{
		"agents":    {slices.Collect(maps.Keys(c.Agents)), "assistant reviewer"},
		"modes":     {slices.Collect(maps.Keys(c.Modes)), "ask auto edit explain plan steps"},
		"prompts":   {slices.Collect(maps.Keys(c.Prompts)), "summary terse"},
		"commands":  {slices.Collect(maps.Keys(c.Commands)), "describe"},
		"providers": {slices.Collect(maps.Keys(c.Providers)), ""},
		"tasks":     {slices.Collect(maps.Keys(c.Tasks)), ""},
		"skills":    {slices.Collect(maps.Keys(c.Skills)), ""},
	} {
		slices.Sort(row.got)
		if got := strings.Join(row.got, " "); got != row.want {
			t.Errorf("%s: got %q, want %q", kind, got, row.want)
		}
	}
	if a, ok := c.DefaultAgent(); !ok || a.Name != "assistant" || a.Prompt == "" {
		t.Errorf("the default agent is %q", a.Name)
	}
	// Lines without a # must not change the defaults.
	empty := load(t, t.TempDir())
	if got, want := fmt.Sprintf("%+v", c.Features), fmt.Sprintf("%+v", empty.Features); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if _, err := os.Stat(filepath.Join(c.Project, "plugins")); err == nil {
		t.Error("there are plugins")
	}
}

// setting matches a commented setting: a # that is not followed by a blank. A # followed by a blank begins a sentence.
var setting = regexp.MustCompile(`(?m)^( *)#(\w)`)

// turnedOn returns a home in which every setting and every example is active.
func turnedOn(t *testing.T) string {
	t.Helper()
	home := fill(t)
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		write(t, path, setting.ReplaceAllString(read(t, path), "$1$2"))
		return os.Rename(path, strings.Replace(path, ".example.", ".", 1))
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "config", "demo-script.yaml"), "turns: [{text: hi}]\n")
	return home
}

func TestEverySettingLoads(t *testing.T) {
	t.Parallel()
	c := load(t, turnedOn(t))
	for _, a := range c.Agents {
		for _, m := range c.Modes {
			for _, task := range c.Tasks {
				if _, err := c.FeaturesFor(a, m, &task); err != nil {
					t.Error(err)
				}
			}
		}
		for _, name := range a.Fallback {
			if _, ok := c.Agents[name]; !ok {
				t.Errorf("agent %s falls back to %q, which is none", a.Name, name)
			}
		}
		if _, ok := c.Prompts[a.System]; !ok && a.System != "" {
			t.Errorf("agent %s names prompt %q, which is none", a.Name, a.System)
		}
		if _, ok := c.Modes[a.Mode]; !ok && a.Mode != "" {
			t.Errorf("agent %s names mode %q, which is none", a.Name, a.Mode)
		}
		if _, ok := c.Providers[a.Model.Provider]; !ok && a.Model.Provider != "" {
			t.Errorf("agent %s names provider %q, which is none", a.Name, a.Model.Provider)
		}
	}
	if c.Features.Tools.MaxSteps != 50 || c.Features.Compaction.Agent != "reviewer" {
		t.Errorf("the settings were not turned on: %+v", c.Features)
	}
	if len(c.Providers) < 6 || len(c.Tasks) != 1 || len(c.Skills) != 1 || len(c.Hooks) != 1 {
		t.Errorf("%d providers, %d tasks, %d skills, %d hooks", len(c.Providers), len(c.Tasks), len(c.Skills), len(c.Hooks))
	}
}

func TestTemplatesRender(t *testing.T) {
	t.Parallel()
	c := load(t, turnedOn(t))
	bodies := map[string]string{}
	for name, a := range c.Agents {
		bodies["agent "+name] = a.Prompt
	}
	for name, m := range c.Modes {
		if c.Places("mode", name)[0].Home.Kind == config.HomeBuiltin {
			continue
		}
		bodies["mode "+name] = m.Prompt
	}
	for name, p := range c.Prompts {
		bodies["prompt "+name] = p.Body
	}
	for name, body := range bodies {
		for _, data := range []prompt.Data{{}, {Agent: "a", Workdir: "w", Tools: prompt.Tools{Eager: []string{"Ls", "Read"}}}} {
			if text, err := (prompt.Template{Name: name, Body: body}).Render(data); err != nil || strings.TrimSpace(text) == "" {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
	}
}

// TestEveryKeyIsShown fails when configuration has a key that no file mentions.
func TestEveryKeyIsShown(t *testing.T) {
	t.Parallel()
	home := turnedOn(t)
	rows := []struct {
		file string
		of   any
	}{
		{"config/agents/assistant.md", config.Agent{}},
		{"config/modes/explain.md", config.Mode{}},
		{"config/prompts/terse.md", config.Prompt{}},
		{"config/commands/describe.md", config.Command{}},
		{"config/hooks/format.yaml", struct {
			Description, Event, Matcher, Files, Command, Timeout, Depends, Inherit, Silent, Disabled int
		}{}},
		{"config/tasks/daily.yaml", config.Task{}},
		{"config/features/tools.yaml", config.Tools{}},
		{"config/features/compaction.yaml", config.Compaction{}},
		{"config/features/instructions.yaml", config.InstructionSettings{}},
		{"config/sandbox/sandbox.yaml", config.Sandbox{}},
		{"config/providers/anthropic.yaml", config.Provider{}},
		{"skills/changelog.md", config.Skill{}},
	}
	for _, row := range rows {
		text := read(t, filepath.Join(home, filepath.FromSlash(row.file)))
		for _, key := range keys(reflect.TypeOf(row.of)) {
			if key == "file" { // only for scripts
				continue
			}
			if !regexp.MustCompile(fmt.Sprintf(`(?m)(^|[ {])%s:`, key)).MatchString(text) {
				t.Errorf("%s does not mention the key %q: show it there, with a sentence on what it does", row.file, key)
			}
		}
	}
}

// TestSchemasAreThere checks that the schema named in the first line of each YAML file exists.
func TestSchemasAreThere(t *testing.T) {
	t.Parallel()
	home := fill(t)
	const modeline = "# yaml-language-server: $schema="
	count := 0
	err := filepath.WalkDir(filepath.Join(home, "config"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		count++
		first, _, _ := strings.Cut(read(t, path), "\n")
		named, ok := strings.CutPrefix(first, modeline)
		if !ok {
			t.Errorf("%s names no schema", path)
			return nil
		}
		target := filepath.Join(filepath.Dir(path), filepath.FromSlash(named))
		if _, err := os.Stat(target); err != nil || filepath.Base(target) != filepath.Base(filepath.Dir(path))+".schema.json" {
			t.Errorf("%s names %s: %v", path, named, err)
		}
		return nil
	})
	if err != nil || count < 8 {
		t.Errorf("%d files, %v", count, err)
	}
}

// keys returns the keys that a type reads from a file, at any depth.
func keys(t reflect.Type) []string {
	var out []string
	for field := range t.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if t.Name() == "" { // a type of this test
			key = strings.ToLower(field.Name)
		}
		if key == "" || key == "-" {
			continue
		}
		out = append(out, key)
		if field.Type.Kind() == reflect.Struct {
			out = append(out, keys(field.Type)...)
		}
	}
	return out
}
