package app

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

func TestLastAnswer(t *testing.T) {
	t.Parallel()
	said := func(role llm.Role, text string) llm.Message { return llm.Message{Role: role, Content: text} }
	rows := []struct {
		name    string
		history []llm.Message
		want    string
	}{
		{"nothing", nil, ""},
		{"the last", []llm.Message{said(llm.RoleAssistant, "a"), said(llm.RoleUser, "u"), said(llm.RoleAssistant, "b")}, "b"},
		{"the last with text", []llm.Message{said(llm.RoleAssistant, "a"), said(llm.RoleAssistant, ""), said(llm.RoleTool, "t")}, "a"},
		{"not the user", []llm.Message{said(llm.RoleUser, "u")}, ""},
	}
	for _, row := range rows {
		if got := lastAnswer(row.history); got != row.want {
			t.Errorf("%s: got %q", row.name, got)
		}
	}
}
