package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
)

// files maps paths to contents. work/ is the working directory and me/ is the user's home directory.
type files map[string]string

const (
	project = "work/.aura/config/"
	user    = "me/.aura/config/"
)

// options writes the files and returns options that see nothing else of the machine.
func (f files) options(t *testing.T) config.Options {
	t.Helper()
	root := t.TempDir()
	for name, content := range f {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	return config.Options{
		Workdir: filepath.Join(root, "work"), UserHome: filepath.Join(root, "me"),
		Environ: []string{"SET=from the process", "EMPTY=", "WAIT=3s", "NESTED=${SET}", "SCRIPT=played.yaml"},
	}
}

func (f files) load(t *testing.T) *config.Config {
	t.Helper()
	return load(t, f.options(t))
}

func load(t *testing.T, o config.Options) *config.Config {
	t.Helper()
	c, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refused is a row of a test for errors. The error must contain all of want, with / in paths.
type refused struct {
	files files
	want  []string
}

func checkRefused(t *testing.T, tests map[string]refused) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(tt.files.options(t))
			checkError(t, err, tt.want...)
		})
	}
}

func checkError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	for _, part := range want {
		if !strings.Contains(filepath.ToSlash(err.Error()), part) {
			t.Errorf("got  %v\nwant %s", err, part)
		}
	}
}

func TestNothingConfigured(t *testing.T) {
	t.Parallel()
	o := files{}.options(t)
	c := load(t, o)
	work, me := filepath.Join(o.Workdir, ".aura"), filepath.Join(o.UserHome, ".aura")
	wantHomes := []config.Home{{Dir: me, Kind: config.HomeUser}, {Dir: work, Kind: config.HomeProject}}
	if !reflect.DeepEqual(c.Homes, wantHomes) || c.Project != work || c.User != me || c.Workdir != o.Workdir {
		t.Errorf("got %+v, project %s, user %s", c.Homes, c.Project, c.User)
	}
	if len(c.Providers)+len(c.Agents)+len(c.Tasks)+len(c.Prompts)+len(c.Commands)+len(c.Skills) != 0 ||
		len(c.ToolDefinitions)+len(c.MCPServers) != 0 || !reflect.DeepEqual(c.Environ, o.Environ) {
		t.Errorf("got %+v", c)
	}
	if a, ok := c.DefaultAgent(); ok {
		t.Errorf("default agent %+v", a)
	}
}

func TestHomes(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	o := files{"work/a/x": "", "work/b/x": "", "work/.aura/x": "", "file": ""}.options(t)
	tests := map[string]struct {
		configs []string
		home    *string
		noHome  bool
		homes   []string
		project string
		user    string
		err     string
	}{
		"default":               {homes: []string{"me/.aura", "work/.aura"}, project: "work/.aura", user: "me/.aura"},
		"one config":            {configs: []string{"a"}, homes: []string{"me/.aura", "work/a"}, project: "work/a", user: "me/.aura"},
		"last config wins":      {configs: []string{"b", "a"}, homes: []string{"me/.aura", "work/b", "work/a"}, project: "work/a", user: "me/.aura"},
		"config named twice":    {configs: []string{"a", "b", "./a"}, homes: []string{"me/.aura", "work/b", "work/a"}, project: "work/a", user: "me/.aura"},
		"absolute config":       {configs: []string{o.Workdir + "/a"}, homes: []string{"me/.aura", "work/a"}, project: "work/a", user: "me/.aura"},
		"config does not exist": {configs: []string{"a", "none"}, err: "work/none does not exist: create it or correct --config"},
		"config is a file":      {configs: []string{"../file"}, err: "file is a file, not a directory"},
		"config is empty":       {configs: []string{""}, err: "name of a configuration directory is empty"},
		"home":                  {home: text("h"), homes: []string{"work/h", "work/.aura"}, project: "work/.aura", user: "work/h"},
		"home disabled":         {home: text(""), homes: []string{"work/.aura"}, project: "work/.aura"},
		"user has no home":      {noHome: true, homes: []string{"work/.aura"}, project: "work/.aura"},
		"home is the project":   {home: text(".aura"), homes: []string{"work/.aura"}, project: "work/.aura", user: "work/.aura"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := o
			o.Configs, o.Home = tt.configs, tt.home
			if tt.noHome {
				o.UserHome = ""
			}
			c, err := config.Load(o)
			if tt.err != "" {
				checkError(t, err, tt.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			below := func(dir string) string {
				relative, err := filepath.Rel(filepath.Dir(o.Workdir), dir)
				if dir == "" || err != nil {
					return dir
				}
				return filepath.ToSlash(relative)
			}
			var homes []string
			for _, h := range c.Homes {
				homes = append(homes, below(h.Dir))
			}
			if !slices.Equal(homes, tt.homes) || below(c.Project) != tt.project || below(c.User) != tt.user {
				t.Errorf("got %v, project %s, user %s", homes, c.Project, c.User)
			}
			if last := c.Homes[len(c.Homes)-1]; last.Kind != config.HomeProject {
				t.Errorf("the last home is %+v", last)
			}
		})
	}
}

func TestWhichFilesAreRead(t *testing.T) {
	t.Parallel()
	const provider = ": {type: script}\n"
	c := files{
		project + "providers/a.yaml":           "a" + provider,
		project + "providers/b.yml":            "b" + provider,
		project + "providers/deep/er/c.yaml":   "c" + provider,
		project + "providers/x.example/d.yaml": "d" + provider,
		project + "providers/empty.yaml":       "# nothing\n",
		project + "providers/e.example.yaml":   "broken: [",
		project + "providers/.hidden.yaml":     "broken: [",
		project + "providers/.git/e.yaml":      "broken: [",
		project + "providers/README.md":        "broken: [",
		project + "providers/e.yaml.bak":       "broken: [",
		project + "agents/e.example.md":        "---\nbroken: [",
		project + "agents/e.yaml":              "broken: [",
		project + "hooks/e.example.yaml":       "broken: [",
		project + "sandbox/e.example.yaml":     "broken: [",
		project + "e.yaml":                     "broken: [",
		project + "skills/e.md":                "---\nbroken: [",
		"work/.aura/skills/e.example.md":       "---\nbroken: [",
		"work/.aura/agents/e.md":               "---\nbroken: [",
	}.load(t)
	var names []string
	for name := range c.Providers {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	o := files{"elsewhere/providers/deep/a.yaml": "a: {type: script}", "me/.aura/config/x": "", "work/.aura/config/x": ""}.options(t)
	root := filepath.Dir(o.Workdir)
	testneed.Link(t, filepath.Join(root, "elsewhere/providers"), filepath.Join(root, user, "providers"))
	if _, ok := load(t, o).Providers["a"]; !ok {
		t.Error("a linked folder is not read")
	}
	if err := os.Symlink(filepath.Join(root, "elsewhere/providers"), filepath.Join(root, "elsewhere/providers/deep/circle")); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(o)
	checkError(t, err, "does a link lead in a circle?")
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	checkRefused(t, map[string]refused{
		"a file for a folder": {files{project + "agents": "x"}, []string{".aura/config/agents"}},
		"a file for a home":   {files{"me/.aura": "x"}, []string{"me/.aura"}},
	})
	o := files{project + "providers/x": ""}.options(t)
	testneed.Link(t, "nowhere", filepath.Join(o.Workdir, ".aura/config/providers/a.yaml"))
	_, err := config.Load(o)
	checkError(t, err, "providers/a.yaml")
}

func TestProjectWinsEntityByEntity(t *testing.T) {
	t.Parallel()
	o := files{
		user + "providers/p.yaml":          "both: {type: openai, url: user}\nmine: {type: google}\n",
		"work/one/config/providers/p.yaml": "both: {type: ollama}\nmiddle: {type: ollama}\n",
		"work/two/config/providers/q.yaml": "both: {type: script}\n",
	}.options(t)
	o.Configs = []string{"one", "two"}
	c := load(t, o)
	got := map[string]config.ProviderType{}
	for name, p := range c.Providers {
		got[name] = p.Type
	}
	if want := map[string]config.ProviderType{"both": "script", "mine": "google", "middle": "ollama"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if both := c.Providers["both"]; both.URL != "" || both.Source.File != filepath.Join(o.Workdir, "two/config/providers/q.yaml") ||
		both.Source.Home != c.Homes[2] {
		t.Errorf("entities are mixed: %+v", both)
	}
}

// TestProjectReplaces checks that a declaration of the project replaces the user's declaration of the same name, for every kind.
func TestProjectReplaces(t *testing.T) {
	t.Parallel()
	all := func(home, description string) files {
		text := "---\nname: x\ndescription: " + description + "\n---\n" + description
		return files{
			home + "config/agents/" + description + ".md":   text,
			home + "config/modes/" + description + ".md":    text,
			home + "config/commands/" + description + ".md": text,
			home + "config/prompts/" + description + ".md":  "---\nname: x\n---\n" + description,
			home + "skills/" + description + ".md":          text,
			home + "config/tools/" + description + ".yaml":  "x: {description: " + description + "}",
			home + "config/tasks/" + description + ".yaml":  "x: {description: " + description + "}",
			home + "config/mcp/" + description + ".yaml":    "x: {command: " + description + "}",
		}
	}
	both := all("me/.aura/", "mine")
	maps.Copy(both, all("work/.aura/", "ours"))
	c := both.load(t)
	got := []string{
		c.Agents["x"].Description, c.Modes["x"].Description, c.Commands["x"].Description, c.Prompts["x"].Body, c.Skills["x"].Body,
		c.ToolDefinitions["x"].Description, c.Tasks["x"].Description, c.MCPServers["x"].Command,
	}
	for i, value := range got {
		if value != "ours" {
			t.Errorf("place %d is %q", i, value)
		}
	}
	if c := all("me/.aura/", "mine").load(t); c.Skills["x"].Body != "mine" || c.Skills["x"].Source.Home.Kind != config.HomeUser {
		t.Errorf("the user's skill is %+v", c.Skills["x"])
	}
}

func TestDeclaredTwiceInOneHome(t *testing.T) {
	t.Parallel()
	checkRefused(t, map[string]refused{
		"provider": {
			files{project + "providers/a.yaml": "x: {type: script}", project + "providers/b/c.yml": "y: {type: script}\nx: {type: ollama}"},
			[]string{`providers/b/c.yml:2: provider "x" is declared in `, "providers/a.yaml already"},
		},
		"agent": {
			files{user + "agents/a.md": "---\nname: x\n---\n", user + "agents/b.md": "---\nhide: true\nname: x\n---\n"},
			[]string{`agents/b.md:3: agent "x" is declared in `, "agents/a.md already"},
		},
		"task": {
			files{project + "tasks/a.yaml": "x: {agent: a}", project + "tasks/b.yaml": "\nx: {agent: a}"},
			[]string{`tasks/b.yaml:2: task "x" is declared in `, "tasks/a.yaml already"},
		},
		"mode": {
			files{project + "modes/a.md": "---\nname: x\n---\n", project + "modes/b.md": "---\nname: x\n---\n"},
			[]string{`modes/b.md:2: mode "x" is declared in `, "modes/a.md already"},
		},
		"prompt": {
			files{project + "prompts/a.md": "---\nname: x\n---\n", project + "prompts/b.md": "---\nname: x\n---\n"},
			[]string{`prompts/b.md:2: prompt "x" is declared in `, "prompts/a.md already"},
		},
		"command": {
			files{project + "commands/a.md": "---\nname: b\n---\ntext", project + "commands/b.md": "text"},
			[]string{`commands/b.md:1: command "b" is declared in `, "commands/a.md already"},
		},
		"skill": {
			files{"work/.aura/skills/a.md": "---\nname: x\n---\ntext", "work/.aura/skills/b/SKILL.md": "---\nname: x\n---\ntext"},
			[]string{`skills/b/SKILL.md:2: skill "x" is declared in `, "skills/a.md already"},
		},
		"tool definition": {
			files{project + "tools/a.yaml": "Ls: {}", project + "tools/b.yaml": "\nLs: {}"},
			[]string{`tools/b.yaml:2: tool "Ls" is declared in `, "tools/a.yaml already"},
		},
		"mcp server": {
			files{project + "mcp/a.yaml": "x: {command: a}", project + "mcp/b.yaml": "\nx: {command: a}"},
			[]string{`mcp/b.yaml:2: mcp server "x" is declared in `, "mcp/a.yaml already"},
		},
		"feature": {
			files{project + "features/a.yaml": "plugins: {}", project + "features/plugins.yaml": "plugins: {}"},
			[]string{`features/plugins.yaml:1: feature "plugins" is set in `, "features/a.yaml already"},
		},
		"in one file": {
			files{project + "providers/a.yaml": "x: {type: script}\nx: {type: script}"},
			[]string{`providers/a.yaml:2: duplicate key "x", first set on line 1`},
		},
	})
}

// TestAllFaultsAtOnce uses several faulty files of several kinds and homes.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	checkRefused(t, map[string]refused{"several": {
		files{
			user + "agents/a.md":            "---\nnme: x\n---\n",
			project + "agents/b.md":         "---\nname: y\nhidden: true\n---\n",
			project + "agents/c.md":         "---\nname: z\ninherit: [y]\n---\n",
			project + "agents/d.md":         "---\nname: z\n---\n",
			project + "tasks/t.yaml":        "t: [",
			user + "features/tools.yaml":    "tools: {steps: 1}",
			project + "features/tools.yaml": "tools: {max_steps: many}",
			project + "features/x.yaml":     "x: {}",
			project + "sandbox/x.yaml":      "tools: {}",
		},
		[]string{
			"loading configuration: ", "\n",
			`agents/a.md:2: unknown key "nme"`, `agents/b.md:3: unknown key "hidden"`, `agents/d.md:2: agent "z" is declared in `, "tasks/t.yaml:1: ",
			`features/tools.yaml:1: unknown key "steps"`, `features/tools.yaml:1: key "tools.max_steps"`, `features/x.yaml:1: unknown key "x"`,
			`sandbox/x.yaml:1: key "tools": a file in sandbox/`,
		},
	}})
}
