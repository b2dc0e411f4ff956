package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/lab/testhost"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// programs is the directory of the plugin host that the tests share.
var programs string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aura-host-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	return m.Run()
}

// builtChild returns the path of the plugin host. The first test that needs it builds it.
var builtChild = sync.OnceValues(func() (string, error) {
	path := filepath.Join(programs, "aura-plugin-host")
	return path, testhost.Build(path)
})

// prober is a tool that returns what it can access.
const prober = `package prober

import (
	"context"
	"os"

	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Probe"} }

func Execute(ctx context.Context, c sdk.Context, args map[string]any) (string, error) {
	out := ""
	if err := os.WriteFile("BASE/work/new", nil, 0600); err == nil {
		out += "work "
	}
	if err := os.WriteFile("BASE/outside", nil, 0600); err == nil {
		out += "outside "
	}
	if entries, err := os.ReadDir("BASE/tmp/aura"); err == nil && len(entries) > 0 {
		out += "sessions "
	}
	if p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{}); err == nil {
		p.Wait()
		out += "programs "
	}
	return out, nil
}
`

// ground is the environment of a plugin: a session, a working directory and the plugin's own directory.
type ground struct {
	base, binary string
	session      *Session
	plugin       manifest.Plugin
}

func newGround(t *testing.T, name, source string) ground {
	t.Helper()
	binary, err := builtChild()
	if err != nil {
		t.Fatal(err)
	}
	g := ground{base: shortDir(t), binary: binary}
	dir := filepath.Join(g.base, "plugins", name)
	for _, d := range []string{dir, filepath.Join(g.base, "work"), filepath.Join(g.base, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		"go.mod": "module " + name + "\n", "main.go": strings.ReplaceAll(source, "BASE", g.base), "plugin.yaml": "description: a test's\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plugins, err := manifest.Discover(filepath.Dir(dir))
	if err != nil || len(plugins) != 1 {
		t.Fatal(plugins, err)
	}
	g.plugin = plugins[0]
	if g.session, err = OpenSession(filepath.Join(g.base, "tmp", "aura"), "s"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.session.Close() })
	return g
}

func (g ground) policy() sandbox.Policy {
	return sandbox.Default(sandbox.Place{Workdir: filepath.Join(g.base, "work"), Temp: filepath.Join(g.base, "tmp")}, sandbox.KindPlugin)
}

func (g ground) start(t *testing.T, spec Spec) *Plugin {
	t.Helper()
	return g.startFleet(t, spec).Plugins()[0]
}

func (g ground) startFleet(t *testing.T, spec Spec) *Fleet {
	t.Helper()
	spec.Plugin = g.plugin
	options := Options{
		Fixed:    Fixed{Binary: g.binary, Session: g.session, Workdir: filepath.Join(g.base, "work")},
		Observer: Observer{OnNotice: func(n Notice) { t.Log(n) }},
		Around:   Around{Environ: []string{"GIVEN=1", "KEPT=1"}, TaskEnv: map[string]string{"TASK": "1"}},
	}
	fleet, err := Start(t.Context(), options, []Spec{spec})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fleet.Close)
	return fleet
}

// TestSandbox runs one plugin unconfined, confined, and confined in unsafe mode.
func TestSandbox(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	g := newGround(t, "prober", prober)
	policy := g.policy()
	for name, tt := range map[string]struct {
		policy *sandbox.Policy
		unsafe bool
		want   string
	}{
		"off":         {nil, false, "work outside sessions programs "},
		"on":          {&policy, false, "work "},
		"unsafe mode": {&policy, true, "work programs "},
	} {
		p := g.start(t, Spec{Unsafe: tt.unsafe, Sandbox: tt.policy})
		got, err := p.Execute(t.Context(), toolOf(p), sdk.Context{}, nil)
		if err != nil || got != tt.want {
			t.Errorf("%s: reached %q, want %q; %v", name, got, tt.want, err)
		}
		report := p.Health().Sandbox
		if confined := report != nil && report.Confined; confined != (tt.policy != nil) {
			t.Errorf("%s: report %+v", name, report)
		}
	}
}
