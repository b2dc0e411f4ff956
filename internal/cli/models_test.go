package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestModelsCommand(t *testing.T) {
	t.Parallel()
	const script = "model: {name: actor, context_length: 1000, capabilities: [tools, vision]}\nturns: [{text: hi}]\n"
	const unreachable = "type: openai, url: 'http://127.0.0.1:1/v1', token: tok-0123456789"
	one := map[string]string{".aura/config/providers/one.yaml": "one: {type: script, file: s.yaml}\n", ".aura/config/s.yaml": script}
	rows := []struct {
		name   string
		files  map[string]string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{name: "listed", files: one, stdout: "PROVIDER MODEL CONTEXT CAPABILITIES URL\none actor 1000 tools, vision -\n"},
		{name: "by name", files: one, args: []string{"one"}, stdout: "one actor 1000"},
		{name: "by flag", files: one, args: []string{"--provider", "x"}, code: exitError, stderr: `listing models of provider "x": it does not exist; known providers: one`},
		{name: "one of two fails", files: map[string]string{
			".aura/config/providers/p.yaml": "one: {type: script, file: s.yaml}\ntwo: {" + unreachable + "}\n", ".aura/config/s.yaml": script,
		}, stdout: "one actor 1000", stderr: "! provider two: network: "},
		{
			name: "all fail", files: map[string]string{".aura/config/providers/p.yaml": "two: {" + unreachable + "}\n"}, code: exitError,
			stderr: "listing models: no provider answered",
		},
		{name: "all left out", files: map[string]string{
			".aura/config/providers/p.yaml": "one: {type: script, file: s.yaml, models: {exclude: ['*']}}\n", ".aura/config/s.yaml": script,
		}, stdout: ""},
		{name: "two arguments", files: one, args: []string{"a", "b"}, code: exitUsage, stderr: "aura models takes [PROVIDER]"},
		{name: "no time", files: one, args: []string{"--timeout", "0s"}, code: exitUsage, stderr: "is not positive"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := in(t, filled(t, row.files), append([]string{"models"}, row.args...)...)
			var lines []string
			for line := range strings.Lines(stdout) {
				lines = append(lines, strings.Join(strings.Fields(line), " ")+"\n")
			}
			if got := strings.Join(lines, ""); code != row.code || !strings.Contains(got, row.stdout) || !strings.Contains(stderr, row.stderr) {
				t.Errorf("exit code %d\nstdout: %s\nstderr: %s", code, got, stderr)
			}
			checkSecrets(t, stdout+stderr)
		})
	}
}

func TestModelsJSON(t *testing.T) {
	t.Parallel()
	dir := filled(t, map[string]string{".aura/config/providers/p.yaml": "one: {type: script}\ntwo: {type: openai, url: 'http://127.0.0.1:1/v1'}\n"})
	code, stdout, stderr := in(t, dir, "models", "--json")
	var list []offerInfo
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != exitDone || stderr != "" {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(list) != 2 || list[0].Models[0].ContextLength != 8192 || list[0].Error != "" || list[1].Error == "" || list[1].Models == nil {
		t.Errorf("got %s", stdout)
	}
}
