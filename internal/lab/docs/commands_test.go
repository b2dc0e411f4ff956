//go:build unix

package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// helpEntry matches an entry of /help, which may have several lines: the name, the arguments, and what the command does.
var helpEntry = regexp.MustCompile(`(?m)^(/\S+).*?(?:  |\n +)([A-Z].*(?:\n +\S.*)*)$`)

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
	for _, m := range helpEntry.FindAllStringSubmatch(string(out), -1) {
		known = append(known, m[1])
		if meaning := strings.Join(strings.Fields(m[2]), " "); !strings.HasPrefix(shown[m[1]], meaning) {
			t.Errorf("%s: the page has %q, /help %q", m[1], shown[m[1]], meaning)
		}
	}
	same(t, "slash commands", listed, known)
}
