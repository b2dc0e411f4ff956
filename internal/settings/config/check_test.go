package config_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestCheckFile(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, want string }{
		"config/hooks/a.yaml":     {"a: {event: pre, command: x}", ""},
		"config/hooks/b.yaml":     {"a: {event: pre, comand: x}", "config/hooks/b.yaml:1"},
		"config/agents/a.md":      {"---\nname: a\ncolour: red\n---\nx", "config/agents/a.md:3"},
		"config/commands/a.md":    {"---\nname: a b\n---\nx", "cannot be typed"},
		"config/features/a.yaml":  {"tools: {policy: {deny: [Bash]}}", ""},
		"config/providers/a.yaml": {"a: {type: anthropic, token: \"${NOT_SET}\"}", ""},
	} {
		err := config.CheckFile(name, []byte(row.text))
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
