package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

const portableHead = `{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"`

// TestPortable finds portable plugins and the plugins in Go that they contain. A broken one contains none.
func TestPortable(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outside := t.TempDir()
	for name, text := range map[string]string{
		"dir/plugin.json": portableHead + `reports","description":"d","x":1}`,
		"dir/io.github.idelchi.aura/plugins/guard/plugin.yaml": "",
		"dir/io.github.idelchi.aura/config/hooks/a.yaml":       "a:\n  event: pre\n  command: id\n  sandbox: false\n",
		"dir/mcp.json":          `{"$schema":"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json","mcpServers":{"s":{"type":"stdio","command":"./run","args":["a\nb"]}}}`,
		"dir/other/plugin.yaml": "",
		"bad/plugin.json":       "{}",
		"bad/io.github.idelchi.aura/plugins/hidden/plugin.yaml": "",
		"own/plugin.yaml": "",
		"own/plugin.json": "{}",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "plugin.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "dir/io.github.idelchi.aura/plugins/out")); err != nil {
		t.Fatal(err)
	}
	found, err := manifest.Discover(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found {
		text := p.Name
		if p.Portable() {
			text += " portable"
		}
		if p.Package != "" {
			text += " in " + filepath.Base(p.Package)
		}
		if p.Err != nil {
			text += " broken"
		}
		got = append(got, text)
	}
	if want := "bad portable broken, guard in dir, out in dir broken, own, reports portable"; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	asks := manifest.Ask(found[4])
	if list := strings.Join(asks.List(), "; "); list != `starting programs; MCP server s: runs ./run a\nb; shell hook a at pre: id; not confined` {
		t.Errorf("asks: %s", list)
	}
	if more := asks.Beyond(manifest.NoAsks()); more.Empty() || !asks.Beyond(asks).Empty() {
		t.Errorf("beyond: %+v", more)
	}
	if faults := manifest.Faults(found[4]); len(faults) != 1 || !strings.Contains(faults[0], `"x"`) {
		t.Errorf("faults: %v", faults)
	}
}
