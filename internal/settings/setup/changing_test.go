package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// made is a tool that does nothing.
type made struct{ definition tool.Definition }

func (m made) Definition() tool.Definition                      { return m.definition }
func (made) Execute(context.Context, tool.Call) (string, error) { return "", nil }

// TestChanging checks which calls are announced as calls that may change files.
func TestChanging(t *testing.T) {
	t.Parallel()
	all := builtin.All(builtin.Options{Workdir: t.TempDir()})
	all = append(all, made{tool.Definition{Name: "Mine", Source: tool.SourcePlugin}}, made{tool.Definition{Name: "Far", Source: tool.SourceMCP}},
		made{tool.Definition{Name: "TodoList", Source: tool.SourceBuiltin}})
	args := map[string]map[string]any{
		"Bash": {"command": "true"}, "Read": {"path": "a"}, "Ls": {}, "Glob": {"pattern": "*"}, "Rg": {"pattern": "x"}, "Write": {"path": "a", "content": "x"},
		"Edit": {"path": "a", "old": "x", "new": "y"}, "Mkdir": {"path": "d"}, "Patch": {"patch": "*** Begin Patch\n*** Delete File: a\n*** End Patch"},
	}
	want := map[string]bool{"Bash": true, "Write": true, "Edit": true, "Mkdir": true, "Patch": true, "Mine": true, "Far": true}
	for _, one := range all {
		name, announced := one.Definition().Name, false
		_, _ = changing(one, func(context.Context, func(string)) error { announced = true; return nil }).Execute(t.Context(), tool.Call{Args: args[name]}) // some fail, after they were announced
		if announced != want[name] {
			t.Errorf("%s: announced %t", name, announced)
		}
	}
}

// TestNotAnnounced checks that a call whose announcement fails does not run.
func TestNotAnnounced(t *testing.T) {
	t.Parallel()
	stopped, told := errors.New("stopped"), ""
	all := builtin.All(builtin.Options{Workdir: t.TempDir()})
	i := slices.IndexFunc(all, func(one tool.Tool) bool { return one.Definition().Name == "Write" })
	write := changing(all[i], func(_ context.Context, status func(string)) error { status("so far"); return stopped })
	path := filepath.Join(t.TempDir(), "a")
	_, err := write.Execute(t.Context(), tool.Call{Args: map[string]any{"path": path, "content": "x"}, Status: func(text string) { told = text }})
	if _, gone := os.Stat(path); !errors.Is(err, stopped) || gone == nil || told != "so far" {
		t.Errorf("%v, the file: %v, told %q", err, gone, told)
	}
}
