package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// bogus is an unknown key: the error about it lists the known keys.
const bogus = "no_such_key: 1"

// keyTables lists the tables of keys: their place in the documentation, and the file of a home in which an unknown key is
// reported with the known keys.
var keyTables = []struct {
	page, heading string
	file          string
	// text is the content of the file, with a placeholder for the key.
	text string
	// groups lists keys that hold further keys, the outer ones first.
	groups []string
}{
	{
		"docs/agents.md", "## Agents", "config/agents/x.md", "---\nname: x\n%s\n---\n",
		[]string{"model", "model.generation", "tools", "tools.policy", "tools.policy.default", "hooks"},
	},
	{"docs/agents.md", "### Modes of your own", "config/modes/x.md", "---\nname: x\n%s\n---\n", []string{"tools", "tools.policy", "tools.policy.default", "hooks"}},
	{"docs/agents.md", "## Prompts", "config/prompts/x.md", "---\nname: x\n%s\n---\ntext\n", nil},
	{"docs/agents.md", "## Skills", "skills/x.md", "---\nname: x\n%s\n---\ntext\n", nil},
	{"docs/slash-commands.md", "## Your own", "config/commands/x.md", "---\nname: x\n%s\n---\ntext\n", nil},
	{"docs/providers.md", "## Configured", "config/providers/x.yaml", "x: {type: script, %s}\n", []string{"retry", "models"}},
	{"docs/providers.md", "## Cost", "config/providers/x.yaml", "x: {type: script, prices: {m: {%s}}}\n", nil},
	{"docs/configuration.md", "## Tasks", "config/tasks/x.yaml", "x: {%s}\n", []string{"tools", "tools.policy", "tools.policy.default"}},
	{"docs/tools.md", "## Describing tools", "config/tools/x.yaml", "x: {%s}\n", nil},
	{"docs/tools.md", "## MCP servers", "config/mcp/x.yaml", "x: {%s}\n", []string{"extra"}},
	{"docs/hooks.md", "# Shell hooks", "config/hooks/x.yaml", "x: {%s}\n", []string{"extra"}},
	{"docs/tools.md", "## Policy", "config/features/x.yaml", "tools: {policy: {%s}}\n", []string{"default"}},
	{
		"docs/configuration.md", "### Tools", "config/features/x.yaml", "tools: {%s}\n",
		[]string{"policy", "policy.default", "read_before", "result", "search", "bash", "bash.truncation"},
	},
	{"docs/configuration.md", "### Compaction", "config/features/x.yaml", "compaction: {%s}\n", nil},
	{"docs/configuration.md", "### Instructions", "config/features/x.yaml", "instructions: {%s}\n", nil},
	{"docs/configuration.md", "### Sandbox", "config/sandbox/x.yaml", "sandbox: {%s}\n", []string{"restrictions", "extra"}},
	{"docs/configuration.md", "### Plugins", "config/features/x.yaml", "plugins: {%s}\n", []string{"config"}},
}

// TestConfigurationKeys compares the tables of keys with what the configuration accepts.
func TestConfigurationKeys(t *testing.T) {
	t.Parallel()
	for _, k := range keyTables {
		name := fmt.Sprintf("%s, %s", k.page, k.heading)
		var want []string
		for _, group := range append([]string{""}, k.groups...) {
			for _, key := range listedKeys(t, k.file, fmt.Sprintf(k.text, nested(group))) {
				if path := strings.TrimPrefix(group+"."+key, "."); !slices.Contains(k.groups, path) {
					want = append(want, path)
				}
			}
		}
		same(t, "keys of "+name, column(tables(section(t, text(t, k.page), k.heading))[0], 0), want)
	}
}

// nested returns the bogus key below other keys.
func nested(group string) string {
	if group == "" {
		return bogus
	}
	parts := strings.Split(group, ".")
	return strings.Join(parts, ": {") + ": {" + bogus + strings.Repeat("}", len(parts))
}

// listedKeys returns the keys that the error about an unknown key in a file of a home lists.
func listedKeys(t *testing.T, file, content string) []string {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	none := ""
	_, err := config.Load(config.Options{Configs: []string{home}, Home: &none, Workdir: home})
	if err == nil {
		t.Fatalf("%s was accepted", content)
	}
	_, list, found := strings.Cut(err.Error(), "known keys: ")
	if !found {
		t.Fatalf("no keys are listed: %v", err)
	}
	return strings.Split(list, ", ")
}
