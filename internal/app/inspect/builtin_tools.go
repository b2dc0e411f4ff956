package inspect

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/settings/setup"
)

// BuiltinTools returns the names of aura's own tools, whether a session offers them or not.
func BuiltinTools() []string {
	names := []string{donetool.Name, skill.Name, setup.DelegateName, setup.LoadName, setup.PlanName, setup.SearchName}
	for _, t := range slices.Concat(builtin.All(builtin.Options{}), new(todo.List).Tools(), new(background.Set).Tools()) {
		names = append(names, t.Definition().Name)
	}
	slices.Sort(names)
	return names
}
