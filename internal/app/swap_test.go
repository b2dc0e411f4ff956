package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

const teller = `package teller

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "teller"} }

func ExecuteCommand(_ context.Context, _ string, _ sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: "told"}, nil
}

func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Tell"} }

func Execute(context.Context, sdk.Context, map[string]any) (string, error) { return "told", nil }
`

// swapFiles returns the files of a project with a plugin, an MCP server, agents whose setup fails and an agent that takes over.
func swapFiles(t *testing.T) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		".aura/plugins/teller/main.go":      teller,
		".aura/plugins/teller/go.mod":       "module teller\n\ngo 1.25\n",
		".aura/plugins/teller/plugin.yaml":  "description: Tells\n",
		".aura/config/providers/test.yaml":  "test: {type: script, file: talk.yaml}\nother: {type: script, file: other.yaml}\nfailing: {type: script, file: failing.yaml}\n",
		".aura/config/talk.yaml":            "turns: [{text: One.}, {text: Two.}, {text: Three.}]\n",
		".aura/config/other.yaml":           "turns: [{text: Other.}, {text: Other.}, {text: Other.}]\n",
		".aura/config/failing.yaml":         "turns: [{error: {type: auth, message: no key}}]\n",
		".aura/config/mcp/one.yaml":         fmt.Sprintf("one: {command: %q, args: [%s]}\n", self, serverArgument),
		".aura/config/agents/main.md":       "---\nname: main\ndefault: true\nmodel: {provider: test}\n---\nBe brief.\n",
		".aura/config/agents/other.md":      "---\nname: other\nmodel: {provider: other}\nfeatures: {plugins: {config: {local: {teller: {who: other}}}}}\n---\n",
		".aura/config/agents/falling.md":    "---\nname: falling\nmodel: {provider: failing}\nfallback: [other]\n---\n",
		".aura/config/agents/nowhere.md":    "---\nname: nowhere\nmodel: {provider: none}\n---\n",
		".aura/plugins/broken/plugin.yaml":  "on_failure: closed\nnonsense: 1\n",
		".aura/config/features/rest.yaml":   "plugins: {exclude: [broken]}\n",
		".aura/config/agents/guarded.md":    "---\nname: guarded\nmodel: {provider: other}\nfeatures: {plugins: {exclude: []}}\n---\n",
		".aura/config/agents/badfall.md":    "---\nname: badfall\nmodel: {provider: failing}\nfallback: [guarded]\n---\n",
		".aura/config/agents/mute.md":       "---\nname: mute\nmodel: {provider: other}\nfeatures: {plugins: {config: {local: {teller: {who: mute}}}}}\n---\n{{ .Nope }}\n",
		".aura/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n",
	}
}

// shape is the state that must be the same before and after a failed change.
type shape struct {
	setup    *setup.Setup
	servers  *mcp.Set
	role     setup.Role
	features config.Features
	persona  string
	tools    []string
	commands []string
	pids     map[string]int
	statuses []mcp.Status
}

func shapeOf(s *Session) shape {
	p := s.talk.Persona()
	out := shape{
		setup: s.setup, servers: s.servers.set, role: s.setup.Role, features: s.setup.Features,
		persona: strings.Join([]string{p.Agent, p.Mode, p.ProviderName, p.Model, p.System}, "|"),
		pids:    map[string]int{}, statuses: s.servers.set.Servers(),
	}
	for _, t := range p.Tools.List() {
		out.tools = append(out.tools, t.Definition().Name)
	}
	for _, c := range s.commands.List() {
		out.commands = append(out.commands, c.Name)
	}
	for _, h := range s.Health() {
		out.pids[h.Name] = h.Pid
	}
	return out
}

// openSwap opens a session of the project and waits until its plugin runs.
func openSwap(t *testing.T, agent string, files map[string]string) (*place, *Session, *outcome) {
	t.Helper()
	p := newPlace(t, files)
	p.o.WithoutPlugins, p.o.Agent = false, agent
	out := &outcome{}
	s, err := Open(t.Context(), p.o, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(""); err != nil {
			t.Error(err)
		}
	})
	for _, plugin := range s.plugins.list() {
		if err := plugin.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if now := shapeOf(s); now.pids["teller"] == 0 || !slices.Contains(now.tools, "Tell") || !slices.Contains(now.tools, "mcp__one__greet") {
		t.Fatalf("the plugin or the server does not run: %v, %q; told %q", now.pids, now.tools, out.told())
	}
	return p, s, out
}

// TestFailedSwaps makes every step of a switch and of a reload fail, one at a time. It checks that everything is unchanged
// afterwards, including processes, and that the next prompt is answered.
func TestFailedSwaps(t *testing.T) {
	t.Parallel()
	const agent, plugin, server = ".aura/config/agents/main.md", ".aura/plugins/", ".aura/config/mcp/one.yaml"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	steps := []struct {
		step string
		// file is changed on disk before the command runs. The command runs with ctx if it is set.
		file, content string
		command       string
		ctx           context.Context //nolint:containedctx // a row of the table
		want          string
	}{
		{step: "configuration", file: ".aura/config/features/x.yaml", content: "nonsense: {", command: "/reload", want: "reloading: everything stays as it was"},
		{step: "role", command: "/agent nobody", want: `choosing agent "nobody"`},
		{step: "role is gone", file: agent, content: "---\nname: renamed\n---\n", command: "/reload", want: `choosing agent "main"`},
		{step: "provider", command: "/agent nowhere", want: `choosing provider "none"`},
		{step: "provider", file: ".aura/config/providers/test.yaml", content: "test: {type: script, file: missing.yaml}\n", command: "/reload", want: "missing.yaml"},
		{step: "hooks", file: ".aura/config/hooks/h.yaml", content: "h: {event: pre, matcher: '(', command: 'true'}\n", command: "/reload", want: "matcher"},
		{step: "plugins", file: plugin + "guard/plugin.yaml", content: "on_failure: closed\nnonsense: 1\n", command: "/reload", want: `starting guard "guard"`},
		{step: "plugins", command: "/agent guarded", want: `starting guard "broken"`},
		{step: "servers", file: server, content: "one: {command: /does/not/exist}\n", command: "/reload", want: `connecting to MCP server "one", which stays connected as it was`},
		{step: "persona", file: agent, content: "---\nname: main\ndefault: true\nmodel: {provider: test}\n---\n{{ .Nope }}\n", command: "/reload", want: "Nope"},
		{step: "persona after plugins and servers", file: server, content: "two: {command: /does/not/exist}\n", command: "/agent mute", want: "Nope"},
		{step: "interrupted switch", command: "/agent other", ctx: cancelled},
		{step: "interrupted reload", command: "/reload", ctx: cancelled},
	}
	for _, row := range steps {
		t.Run(row.step+" "+row.command, func(t *testing.T) {
			t.Parallel()
			p, s, out := openSwap(t, "", swapFiles(t))
			before := shapeOf(s)
			if row.file != "" {
				p.write(row.file, row.content)
			}
			ctx := t.Context()
			if row.ctx != nil {
				ctx = row.ctx
			}
			_, err := s.RunLine(ctx, frontend.Line{Text: row.command})
			if row.ctx == nil && (err != nil || !strings.Contains(out.told(), row.want)) {
				t.Errorf("got %v, told %q, want %q", err, out.told(), row.want)
			}
			if row.ctx != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if after := shapeOf(s); !reflect.DeepEqual(before, after) {
				t.Errorf("before %+v\nafter %+v", before, after)
			}
			if err := frontend.Run(t.Context(), s, []string{"go on"}); err != nil || lastAnswer(s.talk.History()) != "One." {
				t.Errorf("the next prompt: %v, %q", err, lastAnswer(s.talk.History()))
			}
		})
	}
}

// TestFailedOpens makes steps of the first swap fail. It checks that no process and no saved session remains.
func TestFailedOpens(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"nowhere": `choosing provider "none"`, "guarded": `starting guard "broken"`, "mute": "Nope",
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, swapFiles(t))
			p.o.WithoutPlugins, p.o.Agent = false, agent
			if _, err := Open(t.Context(), p.o, &outcome{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			l, err := p.o.Gate.List(p.o.Config)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range host.Running(setup.RuntimeDirs(l.Config)...) {
				if strings.HasPrefix(h.Dir, p.dir) {
					t.Errorf("plugin %s still runs", h.Name)
				}
			}
			if saved, err := session.List(l.State.Sessions()); err != nil || len(saved) > 0 {
				t.Errorf("got %v, %v", saved, err)
			}
		})
	}
}

// TestFailedFollow lets an agent take over whose settings cannot be applied. It checks that the previous settings remain and
// the conversation continues.
func TestFailedFollow(t *testing.T) {
	t.Parallel()
	_, s, out := openSwap(t, "badfall", swapFiles(t))
	if err := frontend.Run(t.Context(), s, []string{"one"}); err != nil || lastAnswer(s.talk.History()) != "Other." {
		t.Fatalf("the fallback did not answer: %v", err)
	}
	before := shapeOf(s)
	for range 2 {
		if err := frontend.Run(t.Context(), s, []string{"go on"}); err != nil || lastAnswer(s.talk.History()) != "Other." {
			t.Fatalf("the next prompt: %v", err)
		}
	}
	if after := shapeOf(s); !reflect.DeepEqual(before, after) {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	if told := out.told(); strings.Count(told, `agent "guarded" continues with the settings of agent "badfall": starting guard "broken"`) != 1 {
		t.Errorf("told %q", told)
	}
}

// TestFollow is the control for TestFailedFollow: the settings of an agent that took over are applied before the next prompt.
func TestFollow(t *testing.T) {
	t.Parallel()
	_, s, _ := openSwap(t, "falling", swapFiles(t))
	before := shapeOf(s)
	for range 2 {
		if err := frontend.Run(t.Context(), s, []string{"go"}); err != nil {
			t.Fatal(err)
		}
	}
	after := shapeOf(s)
	if got := s.setup.Features.Plugins.Local["teller"]["who"]; got != "other" || after.role.Agent.Name != "other" {
		t.Errorf("the settings are those of %s, with %v", after.role.Agent.Name, got)
	}
	if !reflect.DeepEqual(before.pids, after.pids) {
		t.Errorf("plugins ran as %v and run as %v, although only their configuration changed", before.pids, after.pids)
	}
}

// TestReloadKeeps checks that a plugin that no longer loads continues in the same process, and that all other changes are
// applied.
func TestReloadKeeps(t *testing.T) {
	t.Parallel()
	p, s, out := openSwap(t, "", swapFiles(t))
	before := shapeOf(s)
	p.write(".aura/plugins/teller/main.go", "package teller\n\nfunc Command( {\n")
	p.write(".aura/config/modes/new.md", "---\nname: new\n---\n")
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "/reload"}); err != nil || !strings.Contains(out.said(), "1 kept as they were (teller)") {
		t.Fatalf("got %v, %q", err, out.said())
	}
	after := shapeOf(s)
	if _, ok := s.setup.Config.Modes["new"]; !ok || !reflect.DeepEqual(before.pids, after.pids) || !reflect.DeepEqual(before.tools, after.tools) {
		t.Errorf("before %+v, after %+v", before, after)
	}
	p.write(".aura/plugins/teller/main.go", strings.ReplaceAll(teller, `"Tell"`, `"Say"`))
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "/reload"}); err != nil {
		t.Fatal(err)
	}
	changed := shapeOf(s)
	if reflect.DeepEqual(changed.pids, before.pids) || !slices.Contains(changed.tools, "Say") || slices.Contains(changed.tools, "Tell") {
		t.Errorf("after a reload that works: tools %q, processes %v and %v; told %q", changed.tools, before.pids, changed.pids, out.told())
	}
}

// TestLostJournal checks that a switch that cannot be recorded still takes effect, and that the failure is reported once.
func TestLostJournal(t *testing.T) {
	t.Parallel()
	_, s, out := openSwap(t, "", swapFiles(t))
	if err := s.journal.Journal.Close(session.End{}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"/agent other", "/agent main"} {
		if _, err := s.RunLine(t.Context(), frontend.Line{Text: line}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.talk.Persona().Agent; got != "main" || strings.Count(out.told(), "this session is no longer saved") != 1 {
		t.Errorf("agent %s, told %q", got, out.told())
	}
	if err := frontend.Run(t.Context(), s, []string{"go on"}); err != nil {
		t.Errorf("the next prompt: %v", err)
	}
}
