package foreign_test

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/agent/foreign"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for aura, claude := range map[string]string{"Bash": "Bash", "Rg": "Grep", "Ls": "LS", "Patch": "MultiEdit", "mcp__a__b": "mcp__a__b", "Mine": "Mine"} {
		if got := foreign.ClaudeName(aura); got != claude {
			t.Errorf("%s is %s", aura, got)
		}
		if got, known := foreign.NameIn(foreign.Claude, claude); known != (aura != "Mine") || got != aura {
			t.Errorf("%s is %s", claude, got)
		}
	}
}

func TestNameIn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		agent foreign.Agent
		want  string
	}{
		"shell": {foreign.Codex, "Bash"}, "apply_patch": {foreign.Codex, "Patch"}, "run_shell_command": {foreign.Gemini, "Bash"},
		"replace": {foreign.Gemini, "Edit"}, "list": {foreign.OpenCode, "Ls"}, "Agent": {foreign.Claude, "Task"}, "bash": {foreign.Gemini, ""}, "Read": {foreign.OpenCode, ""},
	} {
		got, known := foreign.NameIn(row.agent, name)
		if known != (row.want != "") || known && got != row.want {
			t.Errorf("%s of %s is %q", name, row.agent, got)
		}
	}
}

// TestInput checks that arguments are the same after a translation there and back, and what a changed one becomes.
func TestInput(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	for name, row := range map[string]struct {
		tool                  string
		given, shown, changed args
		want                  args
	}{
		"edit": {
			"Edit",
			args{"path": "a", "old": "x", "new": "y"},
			args{"file_path": "/p/a", "old_string": "x", "new_string": "y"},
			args{"file_path": "/p/b", "old_string": "x", "new_string": "z"},
			args{"path": "/p/b", "old": "x", "new": "z"},
		},
		"kept":    {"Bash", args{"command": "ls", "timeout": 3.0}, args{"command": "ls"}, args{"command": "pwd"}, args{"command": "pwd", "timeout": 3.0}},
		"removed": {"Rg", args{"pattern": "x", "glob": "*.go"}, args{"pattern": "x", "glob": "*.go"}, args{"pattern": "y"}, args{"pattern": "y"}},
		"unknown": {"Mine", args{"path": "a"}, args{"path": "a"}, args{"path": "b", "more": 1}, args{"path": "b", "more": 1}},
		"none":    {"Mine", nil, args{}, nil, args{}},
		"patch":   {"Patch", args{"patch": "p"}, args{"patch": "p", "file_path": "/p/f"}, args{"patch": "q"}, args{"patch": "q"}},
	} {
		if got := foreign.ClaudeInput(row.tool, "/p", row.given, []string{"/p/f"}); !reflect.DeepEqual(got, row.shown) {
			t.Errorf("%s: shown %v", name, got)
		}
		if got := foreign.AuraInput(row.tool, row.given, row.changed); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: changed to %v", name, got)
		}
	}
}
