// Package foreign has the only table of the names that Claude Code gives to tools and their arguments. It translates tool calls for scripts
// that were written for that agent.
package foreign

import (
	"maps"
	"path/filepath"
	"slices"
)

// row is a tool of aura with its name in Claude Code.
type row struct {
	aura, claude string
	// keys maps the names of arguments in Claude Code to those of aura. Arguments that are not listed have no counterpart.
	keys map[string]string
}

// fileKey is the argument of Claude Code that names a file. Its value is absolute there.
const fileKey = "file_path"

var table = []row{
	{"Bash", "Bash", map[string]string{"command": "command"}},
	{"Read", "Read", map[string]string{fileKey: "path", "offset": "line_start"}},
	{"Write", "Write", map[string]string{fileKey: "path", "content": "content"}},
	{"Edit", "Edit", map[string]string{fileKey: "path", "old_string": "old", "new_string": "new", "replace_all": "replace_all"}},
	{"Patch", "MultiEdit", map[string]string{"patch": "patch"}},
	{"Glob", "Glob", map[string]string{"pattern": "pattern", "path": "path"}},
	{"Rg", "Grep", map[string]string{"pattern": "pattern", "path": "path", "glob": "glob"}},
	{"Ls", "LS", map[string]string{"path": "path"}},
	{"Task", "Task", map[string]string{"subagent_type": "agent", "prompt": "prompt"}},
	{"TodoCreate", "TodoWrite", map[string]string{"todos": "items"}},
}

// ClaudeName returns the name of a tool of aura in Claude Code. Tools of plugins and MCP servers keep their names.
func ClaudeName(aura string) string {
	if i := slices.IndexFunc(table, func(r row) bool { return r.aura == aura }); i >= 0 {
		return table[i].claude
	}
	return aura
}

// AuraName returns the name in aura of a tool of Claude Code. A name without a counterpart is returned as it is.
func AuraName(claude string) string {
	if i := slices.IndexFunc(table, func(r row) bool { return r.claude == claude }); i >= 0 {
		return table[i].aura
	}
	return claude
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
