// Package foreign has the only table of the names that other agents give to tools, and of the arguments of Claude Code. It translates tool
// calls for scripts that were written for Claude Code, and names of tools in the configuration of other agents.
package foreign

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Agent is an agent whose names of tools are known.
type Agent string

// The agents.
const (
	Claude   Agent = "claude"
	Codex    Agent = "codex"
	Gemini   Agent = "gemini"
	OpenCode Agent = "opencode"
)

// row is a tool of aura with its names in other agents.
type row struct {
	aura, claude string
	// keys maps the names of arguments in Claude Code to those of aura. Arguments that are not listed have no counterpart.
	keys map[string]string
	// others holds the names in other agents, and further names in Claude Code.
	others map[Agent][]string
}

// fileKey is the argument of Claude Code that names a file. Its value is absolute there.
const fileKey = "file_path"

var table = []row{
	{"Bash", "Bash", map[string]string{"command": "command"}, map[Agent][]string{Codex: {"shell", "Bash"}, Gemini: {"run_shell_command", "ShellTool"}, OpenCode: {"bash"}}},
	{"Read", "Read", map[string]string{fileKey: "path", "offset": "line_start"}, map[Agent][]string{Gemini: {"read_file", "ReadFileTool", "read_many_files"}, OpenCode: {"read"}}},
	{"Write", "Write", map[string]string{fileKey: "path", "content": "content"}, map[Agent][]string{Gemini: {"write_file", "WriteFileTool"}, OpenCode: {"write"}}},
	{
		"Edit", "Edit",
		map[string]string{fileKey: "path", "old_string": "old", "new_string": "new", "replace_all": "replace_all"},
		map[Agent][]string{Gemini: {"replace", "EditTool"}, OpenCode: {"edit"}},
	},
	{"Patch", "MultiEdit", map[string]string{"patch": "patch"}, map[Agent][]string{Codex: {"apply_patch"}, OpenCode: {"patch", "multiedit", "apply_patch"}}},
	{"Glob", "Glob", map[string]string{"pattern": "pattern", "path": "path"}, map[Agent][]string{Gemini: {"glob"}, OpenCode: {"glob"}}},
	{"Rg", "Grep", map[string]string{"pattern": "pattern", "path": "path", "glob": "glob"}, map[Agent][]string{Gemini: {"search_file_content", "grep_search"}, OpenCode: {"grep"}}},
	{"Ls", "LS", map[string]string{"path": "path"}, map[Agent][]string{Gemini: {"list_directory"}, OpenCode: {"list"}}},
	{"BashOutput", "BashOutput", map[string]string{"bash_id": "id"}, nil},
	{"BashKill", "KillShell", map[string]string{"shell_id": "id"}, map[Agent][]string{Claude: {"KillBash"}}},
	{"Task", "Task", map[string]string{"subagent_type": "agent", "prompt": "prompt"}, map[Agent][]string{Claude: {"Agent"}, OpenCode: {"task"}}},
	{"WebFetch", "WebFetch", map[string]string{"url": "url"}, map[Agent][]string{Gemini: {"web_fetch"}, OpenCode: {"webfetch"}}},
	{"WebSearch", "WebSearch", map[string]string{"query": "query"}, map[Agent][]string{Codex: {"web_search"}, Gemini: {"google_web_search"}, OpenCode: {"websearch"}}},
	{"TodoCreate", "TodoWrite", map[string]string{"todos": "items"}, map[Agent][]string{Codex: {"update_plan"}, Gemini: {"write_todos"}, OpenCode: {"todowrite"}}},
}

// ClaudeName returns the name of a tool of aura in Claude Code. Tools of plugins and MCP servers keep their names.
func ClaudeName(aura string) string {
	if i := slices.IndexFunc(table, func(r row) bool { return r.aura == aura }); i >= 0 {
		return table[i].claude
	}
	return aura
}

// NameIn returns the name in aura of another agent's tool. It reports whether there is one. Tools of MCP servers have the same names everywhere.
func NameIn(agent Agent, name string) (string, bool) {
	for _, r := range table {
		if agent == Claude && r.claude == name || slices.Contains(r.others[agent], name) {
			return r.aura, true
		}
	}
	return name, strings.HasPrefix(name, "mcp__")
}

// ClaudeInput returns the arguments of a call in the form of Claude Code. Paths of files are absolute, relative ones being below dir; files
// holds those that the call touches.
func ClaudeInput(aura, dir string, args map[string]any, files []string) map[string]any {
	i := slices.IndexFunc(table, func(r row) bool { return r.aura == aura })
	if i < 0 {
		return nonNil(maps.Clone(args))
	}
	out := map[string]any{}
	for theirs, ours := range table[i].keys {
		if value, ok := args[ours]; ok {
			out[theirs] = value
		}
	}
	if path, ok := out[fileKey].(string); ok && !filepath.IsAbs(path) {
		out[fileKey] = filepath.Join(dir, path)
	}
	if _, named := table[i].keys[fileKey]; !named && aura == "Patch" && len(files) > 0 {
		out[fileKey] = files[0]
	}
	return out
}

// AuraInput returns the arguments of a call after a script has replaced them in the form of Claude Code. Arguments without a counterpart
// stay as they are.
func AuraInput(aura string, args, replaced map[string]any) map[string]any {
	i := slices.IndexFunc(table, func(r row) bool { return r.aura == aura })
	if i < 0 {
		return nonNil(maps.Clone(replaced))
	}
	out := nonNil(maps.Clone(args))
	for theirs, ours := range table[i].keys {
		if value, ok := replaced[theirs]; ok {
			out[ours] = value
		} else {
			delete(out, ours)
		}
	}
	return out
}

func nonNil(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
