package agentimport_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/agentimport"
	"github.com/idelchi/aura/internal/plugin/portable"
)

// TestPlugin has a row for each thing that a plugin of Claude Code can have. want is part of the file; left is part of what was left out.
func TestPlugin(t *testing.T) {
	t.Parallel()
	const (
		own   = portable.Namespace + "/config/"
		skill = "---\nname: s\ndescription: d\n---\nDo."
		hook  = `{"PreToolUse":[{"hooks":[{"type":"command","command":"sh ${CLAUDE_PLUGIN_ROOT}/x"}]}]}`
	)
	for about, row := range map[string]struct {
		manifest string
		files    dir
		entry    map[string]any

		file, want string
		left       string
		skills     map[string]string
		only       []string
	}{
		"manifest":            {manifest: `"name":"p","version":"1","author":"a","repository":{"url":"u"},"keywords":["k"]`, file: portable.FileName, want: `"repository": "u"`},
		"name":                {manifest: `"name":"My_Plugin--x"`, file: portable.FileName, want: `"name": "my-plugin-x"`},
		"author":              {manifest: `"name":"p","author":{"name":"a","team":"t"}`, file: portable.FileName, want: "\"author\": {\n    \"name\": \"a\"\n  }"},
		"metadata of a list":  {entry: map[string]any{"name": "p", "description": "of the list"}, file: portable.FileName, want: `"description": "of the list"`},
		"unknown":             {manifest: `"name":"p","lspServers":{}`, left: "lspServers is left out: aura has nothing like it"},
		"control characters":  {manifest: `"name":"p","\u001b[31m\nx":1`, left: "[31m x is left out"},
		"output styles":       {manifest: `"name":"p"`, files: dir{"output-styles/a.md": "x"}, left: "output-styles is left out"},
		"command":             {manifest: `"name":"p"`, files: dir{"commands/a/b.md": "Do ${CLAUDE_PLUGIN_ROOT}/x"}, file: own + "commands/p-a-b.md", want: "---\nname: p:a:b\n---\nDo ${PLUGIN_ROOT}/x\n"},
		"commands elsewhere":  {manifest: `"name":"p","commands":["./other","./one/c.md"]`, files: dir{"commands/a.md": "A", "other/b.md": "B", "one/c.md": "C"}, file: own + "commands/p-c.md", want: "C\n"},
		"commands outside":    {manifest: `"name":"p","commands":"./../x"`, left: `commands "./../x" is left out: a path begins with ./ and stays in the plugin`},
		"commands, absolute":  {manifest: `"name":"p","agents":"/etc"`, left: `agents "/etc" is left out`},
		"commands, inline":    {manifest: `"name":"p","commands":{"a":{"content":"x"}}`, left: "commands in the manifest are left out"},
		"agent":               {manifest: `"name":"p"`, files: dir{"agents/a.md": "---\ntools: [Read, mcp__plugin_p_s__t]\n---\nBe."}, file: own + "agents/a.md", want: "enabled: [Read, mcp__p-s__t]"},
		"agent, no YAML":      {manifest: `"name":"p"`, files: dir{"agents/a.md": "---\ndescription: user: \"x: y\"\nContext: c\ntools: [\"Read\", \"Grep\"]\n---\nBe."}, file: own + "agents/a.md", want: "enabled: [Read, Rg]"},
		"agent without tools": {manifest: `"name":"p"`, files: dir{"agents/a.md": "---\ntools: ExitPlanMode, NotebookEdit\n---\nBe."}, left: `agent a: the tools ["ExitPlanMode" "NotebookEdit"] are left out: aura has nothing like them`},
		"hooks":               {manifest: `"name":"p"`, files: dir{"hooks/hooks.json": `{"hooks":` + hook + `}`}, file: own + "hooks/p.yaml", want: "p-PreToolUse-1:\n  event: pre\n  protocol: claude\n  command: sh ${PLUGIN_ROOT}/x\n"},
		"hooks, bare":         {manifest: `"name":"p"`, files: dir{"hooks/hooks.json": hook}, file: own + "hooks/p.yaml", want: "p-PreToolUse-1:"},
		"hooks, twice":        {manifest: `"name":"p","hooks":["./h.json"]`, files: dir{"hooks/hooks.json": hook, "h.json": hook}, file: own + "hooks/p.yaml", want: "p-PreToolUse-2:"},
		"hooks, inline":       {manifest: `"name":"p","hooks":` + hook, file: own + "hooks/p.yaml", want: "p-PreToolUse-1:"},
		"hooks outside":       {manifest: `"name":"p","hooks":"../h.json"`, left: `hooks "../h.json" is left out`},
		"hooks, missing":      {manifest: `"name":"p","hooks":"./h.json"`, left: "h.json is left out"},
		"hook, type":          {manifest: `"name":"p","hooks":{"Stop":[{"hooks":[{"type":"prompt"}]}]}`, left: `hook p-Stop-1 is left out: its type is "prompt"`},
		"server":              {manifest: `"name":"p"`, files: dir{".mcp.json": `{"mcpServers":{"s":{"command":"${CLAUDE_PLUGIN_ROOT}/bin/s","args":["${A:-b}"],"env":{"N":1}}}}`}, file: portable.MCPFile, want: `"command": "./bin/s"`},
		"server, bare":        {manifest: `"name":"p"`, files: dir{".mcp.json": `{"s":{"type":"http","url":"https://x"}}`}, file: portable.MCPFile, want: `"type": "streamable-http"`},
		"server, inline":      {manifest: `"name":"p","mcpServers":{"s":{"command":"x","timeout":5}}`, file: portable.MCPFile, want: `"command": "x"`, left: `MCP server s: the key "timeout" is left out`},
		"server, setting":     {manifest: `"name":"p","mcpServers":{"s":{"command":"x","env":{"K":"${user_config.key}"}}}`, file: portable.MCPFile, want: `${CLAUDE_PLUGIN_OPTION_KEY}`},
		"server, bundle":      {manifest: `"name":"p","mcpServers":"./s.mcpb"`, left: `mcpServers "./s.mcpb" is left out`},
		"server, no object":   {manifest: `"name":"p","mcpServers":{"s":1}`, left: "MCP server s is left out: it is not an object"},
		"skills":              {manifest: `"name":"p"`, files: dir{"skills/s/SKILL.md": skill}, skills: map[string]string{}},
		"skills elsewhere":    {manifest: `"name":"p","skills":["./more","./one"]`, files: dir{"skills/s/SKILL.md": skill, "more/m/SKILL.md": skill, "one/SKILL.md": skill}, skills: map[string]string{"m": "more/m", "one": "one"}},
		"skills of a list":    {entry: map[string]any{"name": "p", "strict": false, "skills": []any{"./skills/a", "./b"}}, files: dir{"skills/a/SKILL.md": skill, "skills/z/SKILL.md": skill, "b/SKILL.md": skill}, skills: map[string]string{"b": "b"}, only: []string{"b", "a"}},
		"a skill alone":       {manifest: `"name":"p"`, files: dir{"SKILL.md": skill}, skills: map[string]string{"p": "."}},
	} {
		files := maps.Clone(row.files)
		if files == nil {
			files = dir{}
		}
		if row.manifest != "" {
			files[agentimport.PluginManifest] = "{" + row.manifest + "}"
		}
		got, err := agentimport.Plugin(files, row.entry)
		if err != nil {
			t.Errorf("%s: %v", about, err)
			continue
		}
		if row.file != "" && !strings.Contains(string(got.Files[row.file]), row.want) {
			t.Errorf("%s: %s of %v is\n%s", about, row.file, slices.Sorted(maps.Keys(got.Files)), got.Files[row.file])
		}
		top := t.TempDir()
		text := writeManifest(t, top, got.Files[portable.FileName])
		if read, err := portable.Open(top); err != nil || !read.Claude() || row.left != "" && !strings.Contains(strings.Join(read.LeftOut, "\n"), row.left) {
			t.Errorf("%s: %v, %q in\n%s", about, err, read.LeftOut, text)
		}
		if row.skills != nil && !maps.Equal(got.Skills, row.skills) || row.only != nil && !slices.Equal(got.Only, row.only) {
			t.Errorf("%s: skills %v, only %v", about, got.Skills, got.Only)
		}
	}
}

// TestPluginRefuses has manifests that are none, and a manifest that would leave out without end.
func TestPluginRefuses(t *testing.T) {
	t.Parallel()
	for about, row := range map[string]struct{ text, fault string }{
		"no JSON":   {"{", "reading .claude-plugin/plugin.json as JSON"},
		"no object": {"[]", "reading .claude-plugin/plugin.json as JSON"},
		"no name":   {"{}", "has no name"},
		"odd name":  {`{"name":"../.."}`, "has no name"},
	} {
		if _, err := agentimport.Plugin(dir{agentimport.PluginManifest: row.text}, nil); err == nil || !strings.Contains(err.Error(), row.fault) {
			t.Errorf("%s: %v", about, err)
		}
	}
	if _, err := agentimport.Plugin(dir{}, nil); err == nil {
		t.Error("a folder without a manifest is a plugin")
	}
	var keys strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&keys, `,"k%d%s":1`, i, strings.Repeat("x", 400))
	}
	got, err := agentimport.Plugin(dir{agentimport.PluginManifest: `{"name":"p"` + keys.String() + "}"}, nil)
	if err != nil || len(got.Files[portable.FileName]) > 100_000 {
		t.Errorf("%v, %d bytes", err, len(got.Files[portable.FileName]))
	}
}

func writeManifest(t *testing.T, top string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(top, portable.FileName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
