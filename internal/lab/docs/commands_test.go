//go:build unix

package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// helpLine matches a line of /help: the name, the arguments, and what the command does.
var helpLine = regexp.MustCompile(`(?m)^(/\S+)(?: .*[>\].])? +([A-Z].*)$`)

// TestSlashCommands compares the table of commands with the output of /help. The table may say more about each command.
func TestSlashCommands(t *testing.T) {
	t.Parallel()
	shown := map[string]string{}
	var listed []string
	for _, row := range tables(section(t, text(t, "docs/slash-commands.md"), "## All commands"))[0] {
		name := unquoted(row[0])
		listed = append(listed, name)
		shown[name] = plainText(row[1])
	}
	dir := t.TempDir()
	cmd := exec.Command(filepath.Join(bin, "aura"), "run", "--provider", "demonstration", "--home", "", "--workdir", dir, "/help")
	cmd.Env = []string{"HOME=" + dir, "PATH="}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, m := range helpLine.FindAllStringSubmatch(string(out), -1) {
		known = append(known, m[1])
		if !strings.HasPrefix(shown[m[1]], m[2]) {
			t.Errorf("%s: the page has %q, /help %q", m[1], shown[m[1]], m[2])
		}
	}
	same(t, "slash commands", listed, known)
}
