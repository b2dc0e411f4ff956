package skill_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/agent/tool"
)

func TestTool(t *testing.T) {
	t.Parallel()
	offered := skill.Tool([]skill.Skill{
		{Name: "alone", Description: "What\n  it is\nfor\n", Body: "Do it."},
		{Name: "folder", Description: "More", Body: "See there.", Dir: "/home/you/skills/folder"},
	})
	if text := offered.Definition().Description; !strings.HasSuffix(text, "There are:\n- alone: What it is for\n- folder: More") {
		t.Errorf("got %q", text)
	}
	for name, want := range map[string]string{
		"alone":  "Do it.",
		"folder": "See there.\n\n(files of this skill are below /home/you/skills/folder)",
	} {
		if got, err := offered.Execute(t.Context(), tool.Call{Args: map[string]any{"name": name}}); err != nil || got != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if _, err := offered.Execute(t.Context(), tool.Call{Args: map[string]any{"name": "x"}}); err == nil {
		t.Error("no error for a skill that does not exist")
	}
}
