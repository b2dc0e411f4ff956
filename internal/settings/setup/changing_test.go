package setup

import (
	"context"
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
		_, _ = changing(one, func() { announced = true }).Execute(t.Context(), tool.Call{Args: args[name]}) // some fail, after they were announced
		if announced != want[name] {
			t.Errorf("%s: announced %t", name, announced)
		}
	}
}
