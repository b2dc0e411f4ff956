package app

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// TestConditionalTools checks that the list of names matches the tools that only some sessions have.
func TestConditionalTools(t *testing.T) {
	t.Parallel()
	want := []string{
		background.KillName, background.OutputName, donetool.Name, mcp.ListName, setup.LoadName, setup.PlanName, mcp.ReadName, skill.Name, setup.DelegateName,
		todo.CreateName, todo.ListName, todo.ProgressName, setup.SearchName,
	}
	if got := tool.Conditional(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCommandNames(t *testing.T) {
	t.Parallel()
	c := &config.Config{Entities: config.Entities{Commands: map[string]config.Command{
		"describe": {Name: "describe", Description: "Explains"}, "help": {Name: "help", Description: "hidden by aura's own"},
	}}}
	found := map[string]string{}
	for _, n := range CommandNames(c) {
		found[n.Name] = n.Description
	}
	if found["describe"] != "Explains" || found["help"] == "" || found["help"] == "hidden by aura's own" || found["exit"] == "" {
		t.Errorf("got %v", found)
	}
}
