//go:build unix

package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	flag     = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)
	exitCode = regexp.MustCompile(`\b(\d+) [a-z]`)
)

// TestFlags compares the tables of flags and exit codes with aura's help.
func TestFlags(t *testing.T) {
	t.Parallel()
	page := text(t, "docs/configuration.md")
	list := tables(section(t, page, "## Flags"))
	own, global, found := strings.Cut(help(t, "run"), "Global Flags:")
	if !found {
		t.Fatal("no global flags are listed")
	}
	same(t, "flags of every command", flagsIn(list[0]), flagsOf(global))
	same(t, "flags of run", flagsIn(list[1]), flagsOf(own))
	_, codesText, _ := strings.Cut(help(t), "Exit codes:")
	codesText, _, _ = strings.Cut(codesText, "\n\n")
	var codes []string
	for _, m := range exitCode.FindAllStringSubmatch(codesText, -1) {
		codes = append(codes, m[1])
	}
	var shown []string
	for _, row := range tables(section(t, page, "## Exit codes"))[0] {
		shown = append(shown, row[0])
	}
	same(t, "exit codes", shown, codes)
}

func help(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, "aura"), append(args, "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func flagsOf(help string) []string {
	var out []string
	for _, m := range flag.FindAllStringSubmatch(help, -1) {
		out = append(out, m[1])
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "help" })
}

func flagsIn(table [][]string) []string {
	var out []string
	for _, row := range table {
		name, _, _ := strings.Cut(strings.TrimPrefix(unquoted(row[0]), "--"), " ")
		out = append(out, name)
	}
	return out
}
