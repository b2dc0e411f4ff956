package cli

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/state"
)

// completionFiles returns a project with names of all kinds.
func completionFiles() map[string]string {
	files := shownFiles()
	maps.Copy(files, map[string]string{
		".aura/config/tasks/t.yaml":           "nightly: {description: At night, commands: [go]}\nold: {commands: [x], disabled: true}\n",
		".aura/elsewhere/notepad/plugin.yaml": "description: Notes\n",
		".aura/elsewhere/notepad/go.mod":      "module notepad\n",
		".aura/elsewhere/notepad/main.go":     "package notepad\n",
	})
	return files
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := filled(t, completionFiles())
	sessions := state.Locate(filepath.Join(dir, "state"), "", dir).Sessions()
	err := errors.Join(os.MkdirAll(sessions, 0o700), os.WriteFile(filepath.Join(sessions, "01a1.jsonl"), nil, 0o600),
		os.WriteFile(filepath.Join(sessions, "01b2.jsonl"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	broken := filled(t, map[string]string{".aura/config/agents/a.md": "---\nnam: x\n---\n"})
	rows := []struct {
		line string // the word to complete is the last
		want string // names, then the directive
	}{
		{"run --agent ", "base main :4"},
		{"run --agent m", "main :4"},
		{"--agent b", "base :4"},
		{"run --mode ", "ask auto edit plan quiet :4"},
		{"run --system ", "p :4"},
		{"run --provider ", "real :4"},
		{"run --model ", "big :4"},
		{"run --resume ", "01b2 01a1 :4"},
		{"run --resume 01a", "01a1 :4"},
		{"run /e", "/exit :4"},
		{"run /c", "/c :4"},
		{"run what", ":0"},
		{"run --include-tools Todo", "TodoCreate TodoList TodoProgress :4"},
		{"run --exclude-tools Read,Wri", "Read,Write :4"},
		{"completion b", "bash :4"},
		{"help se", "sessions :4"},
		{"help sessions sh", "show :4"},
		{"run --config ", ":16"},
		{"tasks run ", "nightly :4"},
		{"tasks run nightly ", ":4"},
		{"plugins show ", "notepad :4"},
		{"plugins logs n", "notepad :4"},
		{"sessions show ", "01b2 01a1 :4"},
		{"sessions export 01b", "01b2 :4"},
		{"models r", "real :4"},
		{"show ", "schema agents modes prompts providers hooks features tasks skills commands :4"},
		{"show agents ", "base main :4"},
		{"show hooks ", "h :4"},
		{"show features t", "tools :4"},
		{"show nothing ", ":4"},
		{"show agents base ", ":4"},
		{"ini", "init :4"},
		{"version --", "--help --json :4"},
		{"paths --w", "--workdir :4"},
		{"hooks --m", "--mode :4"},
		{"tasks show ", "nightly old :4"},
		{"agents show ", "base main :4"},
		{"features show t", "tools :4"},
		{"tools show TodoL", "TodoList :4"},
		{"init --gl", "--global :4"},
	}
	for _, row := range rows {
		t.Run(row.line, func(t *testing.T) {
			t.Parallel()
			words := strings.Split(row.line, " ")
			if got := completed(t, dir, words); got != row.want {
				// There may be more commands of aura's own.
				if !strings.HasPrefix(row.line, "run /") || !strings.Contains(got, strings.TrimSuffix(row.want, ":4")) {
					t.Errorf("got %q, want %q", got, row.want)
				}
			}
			if strings.HasSuffix(row.line, " ") && row.line != "show " && row.line != "run --mode " && row.line != "run --config " {
				if got := completed(t, broken, words); got != ":4" {
					t.Errorf("with a broken configuration: %q", got)
				}
			}
		})
	}
}

// completed returns the output for the shell: the names without descriptions, and the directive.
func completed(t *testing.T, dir string, words []string) string {
	t.Helper()
	code, stdout, stderr := in(t, dir, append([]string{"__complete"}, words...)...)
	if code != exitDone || strings.Contains(stderr, "aura:") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	var out []string
	for line := range strings.Lines(stdout) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for shell, want := range map[string]string{
		"bash": "__start_aura", "zsh": "#compdef aura", "fish": "complete -c aura", "powershell": "Register-ArgumentCompleter",
	} {
		if code, stdout, _ := in(t, t.TempDir(), "completion", shell); code != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d", shell, code)
		}
	}
}
