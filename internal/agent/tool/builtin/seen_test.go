package builtin_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestReadBefore runs calls in order in a directory with the files f and g, which contain "a\n".
func TestReadBefore(t *testing.T) {
	t.Parallel()
	type call struct {
		tool string
		args map[string]any
		// fails is a part of the expected error.
		fails string
	}
	read := call{tool: "Read", args: map[string]any{"path": "f"}}
	write := func(fails string) call {
		return call{"Write", map[string]any{"path": "f", "content": "a\nb\n"}, fails}
	}
	edit := func(fails string) call {
		return call{"Edit", map[string]any{"path": "f", "old": "a", "new": "aa"}, fails}
	}
	patch := func(lines, fails string) call {
		return call{"Patch", map[string]any{"patch": "*** Begin Patch\n" + lines + "\n*** End Patch"}, fails}
	}
	const update, remove, unread = "*** Update File: f\n@@\n-a\n+aa", "*** Delete File: f", "f exists and has not been read; read it first"
	on, both := readguard.Rules{Write: true}, readguard.Rules{Write: true, Delete: true}
	tests := []struct {
		name  string
		rules readguard.Rules
		calls []call
	}{
		{"unread", on, []call{write(unread), edit(unread), patch(update, unread)}},
		{"read", on, []call{read, edit(""), write(""), patch(update, "")}},
		{"read in part", on, []call{{tool: "Read", args: map[string]any{"path": "f", "line_start": 1.0, "line_end": 1.0}}, write("")}},
		{"a failed read", on, []call{{"Read", map[string]any{"path": "f", "line_start": 9.0}, "no line 9"}, write(unread)}},
		{"searched and listed only", on, []call{{tool: "Rg", args: map[string]any{"pattern": "a"}}, {tool: "Ls"}, {tool: "Glob", args: map[string]any{"pattern": "*"}}, write(unread)}},
		{"by another name", on, []call{{tool: "Read", args: map[string]any{"path": "link"}}, write("")}},
		{"changed since", on, []call{read, {tool: "Bash", args: map[string]any{"command": "echo b >>f"}}, edit("f has changed on disk since it was read; read it again first"), read, edit("")}},
		{"written the same since", on, []call{read, {tool: "Bash", args: map[string]any{"command": "echo a >f"}}, edit("")}},
		{"own new file", on, []call{{tool: "Write", args: map[string]any{"path": "new", "content": "a"}}, {tool: "Edit", args: map[string]any{"path": "new", "old": "a", "new": "b"}}}},
		{"own patched file", on, []call{patch("*** Add File: new\n+a", ""), {tool: "Edit", args: map[string]any{"path": "new", "old": "a", "new": "b"}}}},
		{"moved", on, []call{patch("*** Update File: f\n*** Move to: new", unread), read, patch("*** Update File: f\n*** Move to: new", ""), {tool: "Edit", args: map[string]any{"path": "new", "old": "a", "new": "b"}}}},
		{"deleted unread", on, []call{patch(remove, "")}},
		{"deletion needs reading", both, []call{patch(remove, unread), read, patch(remove, "")}},
		{"deleted and made anew by others", on, []call{read, patch(remove, ""), {tool: "Bash", args: map[string]any{"command": "echo a >f"}}, edit(unread)}},
		{"one unread file of a patch", on, []call{read, patch(update+"\n*** Update File: g\n@@\n-a\n+b", "g exists and has not been read"), edit("")}},
		{"not asked for", readguard.Rules{}, []call{write(""), edit(""), patch("*** Update File: g\n@@\n-a\n+b", "")}},
		{"only deletion asked for", readguard.Rules{Delete: true}, []call{write(""), {tool: "Bash", args: map[string]any{"command": "echo c >>f"}}, patch(remove, "changed on disk")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "f"), "a\n")
			put(t, filepath.Join(dir, "g"), "a\n")
			testneed.Link(t, "f", filepath.Join(dir, "link"))
			o := builtin.Options{Workdir: dir, Env: []string{"PATH=/usr/bin:/bin"}, Seen: readguard.New(dir), ReadBefore: tt.rules}
			for i, c := range tt.calls {
				got, err := one(t, o, c.tool).Execute(t.Context(), tool.Call{Args: c.args})
				if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Fatalf("call %d, %s: got %q, %v", i, c.tool, got, err)
				}
			}
		})
	}
}
