package setup

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// pathed is a tool that says which files a call changes.
type pathed struct {
	tool.Tool
	write []string
	err   error
}

func (p pathed) Paths(context.Context, map[string]any) (sdk.ToolPaths, error) {
	return sdk.ToolPaths{Write: p.write}, p.err
}

func loadIn(t *testing.T, dir string) *config.Config {
	t.Helper()
	none := ""
	c, err := config.Load(config.Options{Workdir: dir, Home: &none, Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestModes checks what each mode of aura does with each kind of call.
func TestModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := loadIn(t, dir)
	made := func(source tool.Source, effects ...sdk.SideEffect) tool.Tool {
		return named{d: tool.Definition{Name: "T", Source: source, SideEffects: effects}}
	}
	bash := named{d: tool.Definition{Name: builtin.BashName, Source: tool.SourceBuiltin}}
	file := func(source tool.Source, path string, effects ...sdk.SideEffect) tool.Tool {
		out := pathed{Tool: made(source, effects...)}
		if path != "" {
			out.write = []string{path}
		}
		return out
	}
	const runs, asks, denied = policy.Auto, policy.Confirm, policy.Deny
	for name, row := range map[string]struct {
		tool                  tool.Tool
		ask, edit, auto, plan policy.Action
	}{
		"a read":                           {file(tool.SourceBuiltin, ""), runs, runs, runs, runs},
		"a subagent, a list of todos":      {made(tool.SourceBuiltin), runs, runs, runs, runs},
		"a file of the project":            {file(tool.SourceBuiltin, "a.txt"), asks, runs, runs, denied},
		"a file elsewhere":                 {file(tool.SourceBuiltin, "/etc/passwd"), asks, asks, runs, denied},
		"a setting of aura":                {file(tool.SourceBuiltin, filepath.Join(config.DirName, "config", "x.md")), asks, asks, runs, denied},
		"paths that nobody knows":          {pathed{Tool: made(tool.SourceBuiltin), err: errors.New("no")}, asks, asks, runs, denied},
		"a command":                        {bash, asks, asks, runs, runs}, // in plan it can only read
		"a server's tool":                  {made(tool.SourceMCP), asks, asks, runs, denied},
		"a server's tool that reads":       {made(tool.SourceMCP, sdk.SideEffectRead), runs, runs, runs, runs},
		"a plugin's tool":                  {file(tool.SourcePlugin, ""), asks, asks, runs, denied},
		"a plugin's tool that reads":       {file(tool.SourcePlugin, "", sdk.SideEffectNone, sdk.SideEffectRead), runs, runs, runs, runs},
		"a plugin's tool that says a file": {file(tool.SourcePlugin, "a.txt", sdk.SideEffectWrite), asks, runs, runs, denied},
		"a plugin's tool that says none":   {file(tool.SourcePlugin, "", sdk.SideEffectWrite), asks, asks, runs, denied},
		"a plugin's tool that contradicts": {file(tool.SourcePlugin, "a.txt", sdk.SideEffectRead), asks, runs, runs, denied},
		"a plugin's tool that executes":    {file(tool.SourcePlugin, "a.txt", sdk.SideEffectWrite, sdk.SideEffectExecute), asks, asks, runs, denied},
		"a plugin's tool in the network":   {file(tool.SourcePlugin, "", sdk.SideEffectNetwork), asks, asks, runs, denied},
	} {
		for mode, want := range map[string]policy.Action{"ask": row.ask, "edit": row.edit, "auto": row.auto, "plan": row.plan, config.NoMode: runs} {
			for _, within := range []bool{false, true} {
				if got := judged(t, c, mode, within, row.tool); got.Action != want {
					t.Errorf("%s in mode %s (of the session: %v): got %+v, want %s", name, mode, within, got, want)
				}
			}
		}
	}
}

// judged returns what the policy says about a call in a mode of the role, or of the session of a subagent.
func judged(t *testing.T, c *config.Config, mode string, within bool, of tool.Tool) policy.Verdict {
	t.Helper()
	r, err := FindRole(c, "", mode)
	if err != nil {
		t.Fatal(err)
	}
	if within {
		r.Mode, r.Within = config.Mode{}, r.Mode
	}
	s := Source{Config: c}
	m := member{source: s, role: r}
	if m.features, err = s.Features(r); err != nil {
		t.Fatal(err)
	}
	if m.policy, err = policy.New(s.policies(r, m.features)...); err != nil {
		t.Fatal(err)
	}
	effects := m.effects(NewConfinement(c, m.features, ""))
	return m.policy.DecideCall(of.Definition().Name, nil, func() policy.Effect { return effects.of(t.Context(), tool.Call{}, of) })
}

// TestReadingBash checks that commands that may only read do not run where nothing enforces it, and that they cannot write where it is.
func TestReadingBash(t *testing.T) {
	t.Parallel()
	c := loadIn(t, t.TempDir())
	r, err := FindRole(c, "", "plan")
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{false, true} {
		f, err := Source{Config: c}.Features(Role{Within: r.Mode})
		if err != nil {
			t.Fatal(err)
		}
		f.Sandbox.Enabled = on
		confined := NewConfinement(c, f, "")
		if confined.Enabled() {
			p := confined.commands()
			if err := sandbox.Check(p, c.Workdir, sandbox.Access{Write: []string{"x"}}); err == nil || p.Network || p.Hosts != nil || p.UnixSockets {
				t.Errorf("a command that may only read: writing %v, network %v %v %v", err, p.Network, p.Hosts, p.UnixSockets)
			}
			if err := sandbox.Check(p, c.Workdir, sandbox.Access{Read: []string{"x"}}); err != nil {
				t.Error(err)
			}
			continue
		}
		for _, made := range confined.Builtins(builtin.Options{Workdir: c.Workdir}, nil) {
			if made.Definition().Name != builtin.BashName {
				continue
			}
			if _, err := made.Execute(t.Context(), tool.Call{Args: map[string]any{"command": "true"}}); err == nil || !strings.Contains(err.Error(), "tools.bash.read_only") {
				t.Errorf("without a sandbox: %v", err)
			}
		}
	}
}

// TestUsualMode checks the mode of a session in which nothing names one.
func TestUsualMode(t *testing.T) {
	t.Parallel()
	enforced := map[bool]string{true: config.ModeAuto, false: config.ModeAsk}[sandbox.Support().Enabled]
	for name, row := range map[string]struct {
		attended, off bool
		setting       string
		agent, want   string
	}{
		"run":                     {want: ""},
		"screen and editor":       {attended: true, want: enforced},
		"without the sandbox":     {attended: true, off: true, want: config.ModeAsk},
		"the settings":            {attended: true, setting: "plan", want: "plan"},
		"the settings, run":       {setting: "edit", want: "edit"},
		"the settings name none":  {attended: true, setting: config.NoMode, want: ""},
		"the agent":               {attended: true, off: true, setting: "edit", agent: "plan", want: "plan"},
		"the agent names no mode": {attended: true, off: true, agent: config.NoMode, want: ""},
	} {
		c := loadIn(t, t.TempDir())
		c.Features.Sandbox.Enabled, c.Features.Tools.Mode = !row.off, row.setting
		c.Agents = map[string]config.Agent{"a": {Name: "a", Mode: row.agent}}
		s := Source{Config: c, Options: Options{Attended: row.attended}}
		r, err := FindRole(c, "a", "")
		if err == nil {
			r, err = s.InUsualMode(r)
		}
		if err != nil || r.Mode.Name != row.want {
			t.Errorf("%s: got %q and %v, want %q", name, r.Mode.Name, err, row.want)
		}
	}
}

// TestModesOfTools has a row for each kind of tool, and a column for each mode: whether a call runs, asks or is refused, with the sandbox and without
// it. Front ends do not decide about it; they show the question, and a front end without a user refuses what asks.
func TestModesOfTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := loadIn(t, dir)
	const runs, asks, refused = policy.Auto, policy.Confirm, policy.Deny
	type actions struct{ ask, edit, auto, plan policy.Action }
	other := func(source tool.Source, name string) tool.Tool {
		return named{d: tool.Definition{Name: name, Source: source}}
	}
	path := map[string]any{"path": "a.txt"}
	for name, row := range map[string]struct {
		// other is the tool if aura's own tools have none of this name.
		other tool.Tool
		args  map[string]any
		with  actions
		// without is what differs without the sandbox.
		without actions
	}{
		"Read":      {args: path, with: actions{runs, runs, runs, runs}},
		"Write":     {args: map[string]any{"path": "new", "content": "x"}, with: actions{asks, runs, runs, refused}},
		"Edit":      {args: map[string]any{"path": "a.txt", "old": "a", "new": "b"}, with: actions{asks, runs, runs, refused}},
		"Patch":     {args: map[string]any{"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"}, with: actions{asks, runs, runs, refused}},
		"Bash":      {args: map[string]any{"command": "true"}, with: actions{asks, asks, runs, runs}, without: actions{plan: refused}}, // in plan it can only read
		"WebFetch":  {args: map[string]any{"url": "https://example.org"}, with: actions{runs, runs, runs, runs}},                       // the rules of the network decide
		"Task":      {other: other(tool.SourceBuiltin, "Task"), with: actions{runs, runs, runs, runs}},                                 // its calls are decided by the same mode
		"plugin":    {other: other(tool.SourcePlugin, "plugin"), with: actions{asks, asks, runs, refused}},
		"mcp__a__b": {other: other(tool.SourceMCP, "mcp__a__b"), with: actions{asks, asks, runs, refused}},
	} {
		for _, on := range []bool{true, false} {
			for mode, want := range map[string][2]policy.Action{
				"ask": {row.with.ask, row.without.ask}, "edit": {row.with.edit, row.without.edit}, "auto": {row.with.auto, row.without.auto}, "plan": {row.with.plan, row.without.plan},
			} {
				expected := want[0]
				if !on {
					expected = cmp.Or(want[1], want[0])
				}
				if got := outcome(t, c, mode, on, name, row.other, row.args); got != expected {
					t.Errorf("%s in mode %s, sandbox %v: %s, want %s", name, mode, on, got, expected)
				}
			}
		}
	}
}

// outcome returns what happens to a call: the decision of the policy, or that of the tool.
func outcome(t *testing.T, c *config.Config, mode string, on bool, name string, of tool.Tool, args map[string]any) policy.Action {
	t.Helper()
	r, err := FindRole(c, "", mode)
	if err != nil {
		t.Fatal(err)
	}
	s := Source{Config: c}
	m := member{source: s, role: r}
	if m.features, err = s.Features(r); err != nil {
		t.Fatal(err)
	}
	m.features.Sandbox.Enabled = on
	confined := NewConfinement(c, m.features, "")
	if confined.Enabled() != on {
		testneed.Missing(t, testneed.Sandbox, "")
	}
	if m.policy, err = policy.New(s.policies(r, m.features)...); err != nil {
		t.Fatal(err)
	}
	for _, made := range confined.Builtins(builtin.Options{Workdir: c.Workdir}, nil) {
		if made.Definition().Name == name {
			of = made
		}
	}
	if of == nil {
		t.Fatalf("there is no tool %s", name)
	}
	said := m.policy.In(c.Workdir).DecideCall(name, args, func() policy.Effect { return m.effects(confined).of(t.Context(), tool.Call{Args: args}, of) })
	if refuses, ok := of.(unreading); ok && said.Action == policy.Auto {
		if _, err := refuses.Execute(t.Context(), tool.Call{Args: args}); err != nil {
			return policy.Deny
		}
	}
	return said.Action
}
