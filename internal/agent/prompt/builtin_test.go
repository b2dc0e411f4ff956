package prompt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/prompt"
)

func TestBuiltin(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	const tools, sandboxed = "Use the tools", "A sandbox limits"
	for name, row := range map[string]struct {
		data          prompt.Data
		want, missing []string
	}{
		"facts":   {prompt.Data{Workdir: "/work"}, []string{"Working directory: /work\n", "Platform: linux/arm64\n", "Date: 2026-11-15\n"}, []string{tools, sandboxed}},
		"tools":   {prompt.Data{Tools: prompt.Tools{Eager: []string{"Read"}}}, []string{tools}, []string{sandboxed}},
		"sandbox": {prompt.Data{Sandbox: prompt.Sandbox{Enabled: true}}, []string{sandboxed}, []string{tools}},
		// The prompt is not a template.
		"braces": {prompt.Data{Workdir: "/{{ .Agent }}"}, []string{"/{{ .Agent }}\n"}, nil},
	} {
		got := prompt.Builtin(row.data, now, "linux/arm64")
		for _, text := range row.want {
			if !strings.Contains(got, text) {
				t.Errorf("%s: %q is missing in\n%s", name, text, got)
			}
		}
		for _, text := range row.missing {
			if strings.Contains(got, text) {
				t.Errorf("%s: %q is in\n%s", name, text, got)
			}
		}
	}
}

func TestUsesInstructions(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		"text":                               false,
		".Instructions":                      false,
		"{{ .Instructions }}":                true,
		"{{ .Agent }} .Instructions":         false,
		"{{/* .Instructions */}}":            false,
		`{{ "x.Instructions" }}`:             false,
		"{{ if .Instructions }}yes{{ end }}": true,
		"{{ if .Mode }}{{ else }}{{ .Instructions | trim }}{{ end }}": true,
		"{{ range .Tools.Eager }}{{ $.Instructions }}{{ end }}":       true,
		"{{ with . }}{{ .Instructions }}{{ end }}":                    true,
		"{{ (trim .Instructions) }}":                                  true,
		`{{ define "a" }}{{ .Instructions }}{{ end }}`:                true,
		"{{ .Vars.Instructions }}":                                    false,
		"{{ .Instructions":                                            false,
	} {
		if got := (prompt.Template{Body: body}).UsesInstructions(); got != want {
			t.Errorf("%s: got %v", body, got)
		}
	}
}
