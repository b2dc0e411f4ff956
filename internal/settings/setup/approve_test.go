package setup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestSourceOf checks that an approval is bound to the place that a tool comes from: a plugin or a server of the same name from
// another place has not been approved.
func TestSourceOf(t *testing.T) {
	t.Parallel()
	at := func(plugin, server string) guard {
		c := &config.Config{Workdir: "/work", Entities: config.Entities{MCPServers: map[string]config.MCPServer{"web": {Source: config.Source{File: server}}}}}
		return guard{source: Source{Config: c}, entries: map[string]Entry{"deploy": {Plugin: manifest.Plugin{Dir: plugin}}}}
	}
	here, there := at("/home/p", "/home/web.yaml"), at("/work/p", "/work/web.yaml")
	for name, row := range map[string]struct {
		d    tool.Definition
		want string
		same bool
	}{
		"built-in":        {tool.Definition{Name: "X", Source: tool.SourceBuiltin}, "built-in", true},
		"plugin":          {tool.Definition{Name: "X", Source: tool.SourcePlugin, Origin: "deploy"}, "plugin deploy (/home/p)", false},
		"server":          {tool.Definition{Name: "X", Source: tool.SourceMCP, Origin: "web"}, "MCP web (/home/web.yaml)", false},
		"unknown plugin":  {tool.Definition{Name: "X", Source: tool.SourcePlugin, Origin: "other"}, "plugin other", true},
		"like a built-in": {tool.Definition{Name: "Bash", Source: tool.SourcePlugin, Origin: "deploy"}, "plugin deploy (/home/p)", false},
	} {
		call := here.approvable(t.Context(), tool.Call{}, named{d: row.d}, "")
		if call.Source != row.want {
			t.Errorf("%s: got %q, want %q", name, call.Source, row.want)
		}
		given, err := call.Approves(row.d.Name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		other := there.approvable(t.Context(), tool.Call{}, named{d: row.d}, "")
		if got := policy.Cover([]policy.Approval{given}, other); got != row.same {
			t.Errorf("%s: the approval counts elsewhere: %v", name, got)
		}
	}
}

// TestPhysical checks where a path leads, also if it, or what a link leads to, does not exist.
func TestPhysical(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"link": "real", "dangling": "real/none", "chain": "dangling", "loop": "loop", "absolute": filepath.Join(dir, "real", "other"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"real": "real", "real/x": "real/x", "none/x": "none/x", "link": "real", "link/x": "real/x", "link/a/b": "real/a/b", "dangling": "real/none",
		"chain": "real/none", "absolute": "real/other", "loop": "loop",
	} {
		if got := physical(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
