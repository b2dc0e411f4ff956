package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/cli"
)

// TestReference checks that the committed reference matches the commands.
func TestReference(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("../../../docs/reference.md")
	if err != nil || string(got) != markdown(cli.Describe()) {
		t.Errorf("docs/reference.md is not up to date: run make generate (%v)", err)
	}
}

// TestManual checks that every command has a page, and that its lines are either text or known requests.
func TestManual(t *testing.T) {
	t.Parallel()
	all := cli.Describe()
	dir := t.TempDir()
	if err := run("", dir); err != nil {
		t.Fatal(err)
	}
	for _, d := range flatten(all) {
		page, err := os.ReadFile(filepath.Join(dir, pageName(d.Path)+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		for line := range strings.Lines(string(page)) {
			request, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .TP .nf .fi .br ", " "+request+" ") {
				t.Errorf("%s: %s", d.Path, line)
			}
		}
		if !strings.Contains(string(page), ".SH NAME\n") || !strings.Contains(string(page), build.Version) {
			t.Errorf("%s: got %s", d.Path, page)
		}
	}
}

func TestEscaped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a\b`:           `a\eb`,
		"--json":        `\-\-json`,
		".aura":         `\&.aura`,
		"'aura run'\nx": `\&'aura run'` + "\nx",
		"plain":         "plain",
	} {
		if got := escaped(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
