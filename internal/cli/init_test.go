package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// in runs a command line in a directory that a test has prepared.
func in(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(""), out: &out, err: &errs, environ: []string{
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"), "AURA_TRUST=1", "AURA_WORKDIR=" + dir, "AURA_HOME=" + filepath.Join(dir, "home"),
	}}
	code = execute(t.Context(), s, args)
	return code, out.String(), errs.String()
}

// filled writes files to a new directory and returns it.
func filled(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func exists(t *testing.T, path ...string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

func TestInitChoosesTheHome(t *testing.T) {
	t.Parallel()
	const file = "config/agents/assistant.md"
	rows := []struct {
		name string
		args []string
		want string // below the working directory; empty if the command must fail
		code int
	}{
		{name: "project", args: []string{"init"}, want: ".aura"},
		{name: "named", args: []string{"init", "--config", "a", "--config", "b"}, want: "b"},
		{name: "global", args: []string{"init", "--global"}, want: "home"},
		{name: "global, flag before", args: []string{"--home", "other", "init", "--global"}, want: "other"},
		{name: "no home", args: []string{"init", "--global", "--home", ""}, code: exitUsage},
		{name: "no working directory", args: []string{"init", "--workdir", "/does/not/exist"}, code: exitError},
		{name: "an argument", args: []string{"init", "here"}, code: exitUsage},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			code, stdout, stderr := in(t, dir, row.args...)
			if code != row.code {
				t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
			}
			for _, home := range []string{".aura", "a", "b", "home", "other"} {
				if got := exists(t, dir, home, file); got != (home == row.want) {
					t.Errorf("%s: written %t", home, got)
				}
			}
		})
	}
}

func TestInitKeepsAndForces(t *testing.T) {
	t.Parallel()
	const name = ".aura/config/modes/steps.md"
	const mine = "---\nname: steps\n---\nMine.\n"
	rows := []struct {
		name   string
		args   []string
		stdout []string
		kept   bool
	}{
		{"kept", []string{"init"}, []string{"kept     config/modes/steps.md", "created  config/modes/explain.md", "1 file kept"}, true},
		{"forced", []string{"init", "--force"}, []string{"-Mine.", "overwritten  config/modes/steps.md"}, false},
		{"forced with yes", []string{"init", "--force", "--yes"}, []string{"-Mine."}, false},
		{"dry run", []string{"init", "--dry-run"}, []string{"kept ", "would be created", "nothing was written"}, true},
		{"forced dry run", []string{"init", "--force", "--dry-run"}, []string{"-Mine.", "would be overwritten  config/modes/steps.md"}, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t, map[string]string{name: mine})
			code, stdout, stderr := in(t, dir, row.args...)
			if code != exitDone || stderr != "" {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			for _, want := range row.stdout {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is missing in\n%s", want, stdout)
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || (string(text) == mine) != row.kept {
				t.Errorf("%s %v", text, err)
			}
		})
	}
}

func TestInitJSON(t *testing.T) {
	t.Parallel()
	dir := filled(t, map[string]string{".aura/config/modes/steps.md": "---\nname: steps\n---\nMine.\n"})
	_, stdout, stderr := in(t, dir, "init", "--force", "--json")
	var report initReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || stderr != "" {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	found := false
	for _, f := range report.Files {
		found = found || f.Status == "overwritten" && strings.Contains(f.Diff, "-Mine.")
	}
	if report.Dir != filepath.Join(dir, ".aura") || report.DryRun || !found {
		t.Errorf("got %s", stdout)
	}
}

// TestInitIsEnough runs a prompt in a fresh project.
func TestInitIsEnough(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code, _, stderr := in(t, dir, "init"); code != exitDone {
		t.Fatal(stderr)
	}
	code, stdout, stderr := in(t, dir, "run", "--provider", "demonstration", "hi")
	if code != exitDone || !strings.Contains(stdout, "That was the demonstration.") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
