package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

const (
	packageHead = `{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"`
	packageMCP  = `{"$schema":"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json","mcpServers":{`
	ownPart     = "io.github.idelchi.aura/config/"
)

// packaged returns the files of two portable plugins of the user, and one of the project that replaces one of them.
func packaged() files {
	out := files{
		"me/.agents/plugins/both/plugin.json":                   packageHead + `both"}`,
		"me/.agents/plugins/both/skills/old/SKILL.md":           "---\nname: old\ndescription: d\n---\nx\n",
		"work/.agents/plugins/both/plugin.json":                 packageHead + `both","hooks":1}`,
		"work/.agents/plugins/both/skills/new/SKILL.md":         "---\nname: new\ndescription: d\nlicense: 2\nmetadata: {version: 1.0}\nallowed-tools: [Read]\nother: 1\n---\nx\n",
		"work/.agents/plugins/both/skills/bad/SKILL.md":         "---\nname: other\ndescription: d\n---\nx\n",
		"work/.agents/plugins/both/skills/mine/SKILL.md":        "---\nname: mine\ndescription: of the package\n---\nx\n",
		"work/.aura/skills/mine.md":                             "---\nname: mine\ndescription: of the project\n---\nx\n",
		"me/.aura/plugins/tools/plugin.json":                    packageHead + `my.tools"}`,
		"me/.aura/plugins/tools/mcp.json":                       packageMCP + `"run__it":{"type":"stdio","command":"./run","args":["${PLUGIN_DATA}/${HOME}","${SET}"],"env":{"A":"${PLUGIN_ROOT}"}},"web":{"type":"streamable-http","url":"https://a.example/${SET}"},"old":{"type":"sse","url":"https://a.example"}}}`,
		"me/.aura/plugins/tools/" + ownPart + "hooks/a.yaml":    "say:\n  event: pre\n  command: echo $PLUGIN_ROOT\n",
		"me/.aura/plugins/tools/" + ownPart + "hooks/b.yaml":    "broken:\n  event: pre\n  comand: echo\n",
		"me/.aura/plugins/tools/" + ownPart + "commands/hi.md":  "---\ndescription: ${SET}\n---\nhi\n",
		"me/.aura/plugins/tools/" + ownPart + "agents/calm.md":  "---\nname: calm\ntools:\n  disabled: [Bash]\n---\nx\n",
		"me/.aura/plugins/tools/" + ownPart + "agents/first.md": "---\nname: first\ndefault: true\n---\nx\n",
		"me/.aura/plugins/tools/" + ownPart + "agents/free.md":  "---\nname: free\nfeatures:\n  sandbox:\n    enabled: false\n---\nx\n",
		"me/.aura/plugins/tools/" + ownPart + "agents/auto.md":  "---\nname: auto\ntools:\n  policy:\n    auto: [Bash]\n---\nx\n",
		"work/.aura/plugins/broken/plugin.json":                 `{"name":"broken"}`,
		"work/.aura/plugins/broken/skills/never/SKILL.md":       "---\nname: never\ndescription: d\n---\nx\n",
	}
	return out
}

// TestPackages loads portable plugins of the user and of a project, with one of each fault.
func TestPackages(t *testing.T) {
	t.Parallel()
	o := packaged().options(t)
	o.Environ = []string{"SET=secret", "HOME=/home"}
	c := load(t, o)
	if got := strings.Join(slices.Sorted(maps.Keys(c.Packages)), " "); got != "both my.tools" {
		t.Errorf("packages: %s", got)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(c.Skills)), " "); got != "both:mine mine new" || c.Skills["mine"].Description != "of the project" {
		t.Errorf("skills: %s", got)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(c.MCPServers)), " "); got != "my-tools-run_it my-tools-web" {
		t.Errorf("servers: %s", got)
	}
	root, data := filepath.Join(o.UserHome, ".aura/plugins/tools"), filepath.Join(c.State.User().Data(), "my.tools")
	s := c.MCPServers["my-tools-run_it"]
	if s.Command != filepath.Join(root, "run") || !slices.Equal(s.Args, []string{data + "/${HOME}", "${SET}"}) ||
		!maps.Equal(s.Env, map[string]string{"A": root, "PLUGIN_ROOT": root, "PLUGIN_DATA": data}) {
		t.Errorf("server: %+v", s)
	}
	if web := c.MCPServers["my-tools-web"]; web.URL != "https://a.example/${SET}" {
		t.Errorf("server: %+v", web)
	}
	if h := c.Hooks["say"]; len(c.Hooks) != 1 || h.Env["PLUGIN_ROOT"] != root || h.Command != "echo $PLUGIN_ROOT" {
		t.Errorf("hooks: %+v", c.Hooks)
	}
	if len(c.Commands) != 1 || c.Commands["hi"].Description != "${SET}" {
		t.Errorf("commands: %+v", c.Commands)
	}
	if _, chosen := c.DefaultAgent(); chosen || len(c.Agents) != 1 || c.Agents["calm"].Name != "calm" {
		t.Errorf("agents: %+v", c.Agents)
	}
	notices := strings.Join(c.Notices, "\n")
	for _, want := range []string{`unknown key "hooks" is ignored`, `skills/bad/SKILL.md:2 is left out`, `MCP server "old" is left out`, `comand`, `"default"`, `"features"`, `"tools.policy"`} {
		if !strings.Contains(notices, want) {
			t.Errorf("no notice about %s:\n%s", want, notices)
		}
	}
}

// TestPackagesLeftOut has a row for each way to leave out a package.
func TestPackagesLeftOut(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		add  files
		set  func(*config.Options)
		want string
	}{
		"excluded":       {add: files{"me/.aura/config/features/plugins.yaml": "plugins:\n  exclude: [my.*]\n"}, want: "both"},
		"not included":   {add: files{"me/.aura/config/features/plugins.yaml": "plugins:\n  include: [my.tools]\n"}, want: "my.tools"},
		"no plugins":     {set: func(o *config.Options) { o.WithoutPackages = true }},
		"no project":     {set: func(o *config.Options) { o.Safe = true }, want: "both my.tools"},
		"other home":     {set: func(o *config.Options) { none := ""; o.Home = &none }, want: "both"},
		"replaced by Go": {add: files{"work/.aura/plugins/my.tools/plugin.yaml": ""}, want: "both"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := packaged()
			maps.Copy(all, row.add)
			o := all.options(t)
			if row.set != nil {
				row.set(&o)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(load(t, o).Packages)), " "); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// TestPackageLinks leaves out what links in aura's part of a package lead to outside of it.
func TestPackageLinks(t *testing.T) {
	t.Parallel()
	all := packaged()
	all["outside.md"] = "secret\n"
	o := all.options(t)
	link := filepath.Join(o.UserHome, ".aura/plugins/tools", ownPart, "commands/out.md")
	if err := os.Symlink(filepath.Join(filepath.Dir(o.Workdir), "outside.md"), link); err != nil {
		t.Fatal(err)
	}
	c := load(t, o)
	if _, read := c.Commands["out"]; read || !strings.Contains(strings.Join(c.Notices, "\n"), "leads out of the plugin's directory") {
		t.Errorf("commands %v, notices %v", c.Commands, c.Notices)
	}
}

// TestConverted loads a package that was converted from a plugin of Claude Code.
func TestConverted(t *testing.T) {
	t.Parallel()
	const top = "me/.aura/plugins/tools/"
	o := files{
		top + "plugin.json": packageHead + `tools","extensions":{"io.github.idelchi.aura":{"protocol":"claude"}}}`,
		top + "mcp.json": packageMCP + `"run":{"type":"stdio","command":"x","args":["${CLAUDE_PLUGIN_DATA}","${SET}","${NO:-d}","${CLAUDE_PROJECT_DIR}"],"env":{"A":"${PLUGIN_ROOT}"}},
			"web":{"type":"streamable-http","url":"https://a.example/${SET}","headers":{"X-A":"${SET}"}},"left":{"type":"streamable-http","url":"https://a.example","headers":{"X-A":"${NO}"}}}}`,
		top + "skills/odd/SKILL.md":               "---\nname: Odd Name\ndescription: d\n---\n${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SKILL_DIR} ${SET}\n",
		top + ownPart + "hooks/a.yaml":            "say:\n  event: pre\n  protocol: claude\n  command: echo ${CLAUDE_PLUGIN_ROOT}\n",
		top + ownPart + "commands/tools-hi.md":    "---\nname: tools:hi\n---\n${PLUGIN_ROOT} ${SET}\n",
		top + ownPart + "agents/calm.md":          "---\nname: calm\n---\n${PLUGIN_DATA}\n",
		"me/.aura/plugins/mine/plugin.json":       packageHead + `mine"}`,
		"me/.aura/plugins/mine/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n${CLAUDE_PLUGIN_ROOT}\n",
	}.options(t)
	o.Environ = []string{"SET=secret"}
	c := load(t, o)
	root, data := filepath.Join(o.UserHome, ".aura/plugins/tools"), filepath.Join(c.State.User().Data(), "tools")
	run := c.MCPServers["tools-run"]
	if !slices.Equal(run.Args, []string{data, "secret", "d", c.Workdir}) || run.Env["A"] != root || run.Env["CLAUDE_PLUGIN_ROOT"] != root || run.Env["PLUGIN_DATA"] != data {
		t.Errorf("server: %+v", run)
	}
	if web := c.MCPServers["tools-web"]; web.URL != "https://a.example/secret" || web.Headers["X-A"] != "secret" || len(c.MCPServers) != 2 {
		t.Errorf("servers: %+v", c.MCPServers)
	}
	if notices := strings.Join(c.Notices, "\n"); !strings.Contains(notices, `MCP server "left" is left out: the variable NO is not set`) {
		t.Errorf("notices: %s", notices)
	}
	if s := c.Skills["odd"]; s.Body != root+" "+filepath.Join(root, "skills/odd")+" ${SET}" || c.Skills["a"].Body != "${CLAUDE_PLUGIN_ROOT}" {
		t.Errorf("skills: %+v", c.Skills)
	}
	if h := c.Hooks["say"]; h.Env["CLAUDE_PLUGIN_ROOT"] != root || h.Env["CLAUDE_PLUGIN_DATA"] != data || h.Command != "echo ${CLAUDE_PLUGIN_ROOT}" {
		t.Errorf("hook: %+v", h)
	}
	if c.Commands["tools:hi"].Body != root+" ${SET}" || c.Agents["calm"].Prompt != data {
		t.Errorf("texts: %q, %q", c.Commands["tools:hi"].Body, c.Agents["calm"].Prompt)
	}
	// If the configuration is only shown, values of the user stay as written.
	o.Text = true
	if web := load(t, o).MCPServers["tools-web"]; web.URL != "https://a.example/${SET}" || web.Headers["X-A"] != "${SET}" {
		t.Errorf("shown: %+v", web)
	}
}
