package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/shell"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// startPlugins brings up the fleet.
func (a *App) startPlugins(ctx context.Context) error {
	if a.opts.WithoutPlugins {
		return nil
	}
	list, err := a.specs()
	if err != nil || len(list) == 0 {
		return err
	}
	if err := brokenGuards(list); err != nil {
		return err
	}
	a.place, err = host.OpenSession(RuntimeDir(a.cfg), a.journal.ID())
	if err != nil {
		return err
	}
	o, err := HostOptions(a.cfg)
	if err != nil {
		return err
	}
	o.Session, o.TaskEnv, o.Secrets = a.place, a.taskEnv, &a.secrets
	o.Shell = runCondition(withTask(a.cfg.Environ, a.taskEnv))
	o.Notify = func(n host.Notice) { a.notice(n.Plugin, n.Text) }
	a.fleet, err = host.Start(ctx, o, list)
	a.recallFired()
	a.tellPlugins()
	a.reportLoadFindings()
	return err
}

// recallFired tells plugins that act once per session what they have done in the session that is open now.
func (a *App) recallFired() {
	for _, p := range a.plugins() {
		var points []hookpoint.Name
		for _, point := range a.journal.state.Fired[p.Name()] {
			points = append(points, hookpoint.Name(point))
		}
		p.SetFired(points...)
	}
}

// noteFired keeps what plugins that act once per session have done in it, those that do not run at the moment included.
func (a *App) noteFired() {
	for _, p := range a.plugins() {
		if !p.Spec().Manifest.Once {
			continue
		}
		var points []string
		for _, point := range hookpoint.All() {
			if p.Fired(point.Name) {
				points = append(points, string(point.Name))
			}
		}
		if slices.Equal(points, a.journal.state.Fired[p.Name()]) {
			continue
		}
		a.journal.note(func(s *session.State) {
			fired := map[string][]string{p.Name(): points}
			for name, before := range s.Fired {
				if name != p.Name() {
					fired[name] = before
				}
			}
			s.Fired = fired
		})
	}
}

// RuntimeDir is where running sessions of this user are found.
func RuntimeDir(c *config.Config) string {
	xdg, _ := config.Lookup(c.Inherited, "XDG_RUNTIME_DIR")
	return host.RuntimeDir(xdg, c.State.Run())
}

// runtimeDirs are all places where running sessions of this user may be.
func runtimeDirs(c *config.Config) []string {
	xdg, _ := config.Lookup(c.Inherited, "XDG_RUNTIME_DIR")
	return host.RuntimeDirs(xdg, c.State.Run())
}

// HostOptions are what every fleet of this configuration has in common.
func HostOptions(c *config.Config) (host.Options, error) {
	if err := requireSandbox(c.Features); err != nil {
		return host.Options{}, err
	}
	program, err := hostProgram()
	if err != nil {
		return host.Options{}, err
	}
	userHome, err := os.UserHomeDir()
	if err != nil {
		userHome = ""
	}
	secrets := &redact.Current{}
	secrets.Set(Secrets(c, nil))
	return host.Options{
		Binary: program.start, Program: program.path, Grants: sandbox.GrantsIn(c.Workdir), CacheDir: c.State.Cache(), Workdir: c.Workdir, Environ: c.Environ,
		Secrets: secrets,
		Tool:    sdk.ToolConfig{HomeDir: userHome, ConfigDir: c.Project},
		Shell:   runCondition(c.Environ),
	}, nil
}

// hostBinary finds aura-plugin-host beside aura, or else in PATH.
func hostBinary() (string, error) {
	name := "aura-plugin-host"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err == nil {
		if resolved, err := filepath.EvalSymlinks(self); err == nil {
			self = resolved
		}
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("looking for %s, which runs the plugins: it is neither beside aura nor in PATH; install it there, or use --without-plugins", name)
	}
	return filepath.Abs(found)
}

// runCondition runs the command of a bash: condition in a limited process of its own.
func runCondition(env []string) func(context.Context, string, string) (bool, error) {
	return func(ctx context.Context, workdir, line string) (bool, error) {
		self, err := sandbox.Self()
		if err != nil {
			return false, fmt.Errorf("finding aura itself: %w", err)
		}
		r, err := shell.Run(ctx, shell.Command{Executable: self, Line: line, Dir: workdir, Env: env})
		if err != nil {
			return false, err
		}
		return r.ExitCode == 0, nil
	}
}

// handlers shows the session's fleet, of which there may be none at first, to the pipeline.
type handlers struct{ app *App }

func (h handlers) Handlers(point hookpoint.Name) []pipeline.Handler {
	if h.app.fleet == nil {
		return nil
	}
	list := h.app.fleet.At(point)
	if hookpoint.Of(point).Order == hookpoint.ByDirectory {
		slices.SortStableFunc(list, func(a, b *host.Plugin) int {
			return strings.Compare(filepath.Base(a.Spec().Dir), filepath.Base(b.Spec().Dir))
		})
	}
	var out []pipeline.Handler
	for _, p := range list {
		out = append(out, p)
	}
	return out
}

// pluginTool is a plugin's tool as the registry has it.
type pluginTool struct {
	plugin     *host.Plugin
	definition tool.Definition
	// policy is what the tool is confined to, if there is a sandbox and it is sandboxable.
	policy      sandbox.Policy
	sandboxable bool
	// apart is the policy of a process for each call; nil if the plugin's own child runs the tool.
	apart *sandbox.Policy
}

func (t pluginTool) Definition() tool.Definition { return t.definition }

func (t pluginTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	if t.apart != nil {
		return t.plugin.ExecuteUnder(ctx, t.apart, call.Context, call.Args)
	}
	return t.plugin.Execute(ctx, call.Context, call.Args)
}

// Paths asks the plugin which files a call will touch.
func (t pluginTool) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	exports, _ := t.plugin.Exports()
	if exports.Tool == nil || !exports.Tool.HasPaths {
		return sdk.ToolPaths{}, nil
	}
	return t.plugin.Paths(ctx, args)
}

// pluginTools are the tools that plugins offer in this session. A tool that cannot be offered is told and left out.
func (a *App) pluginTools(c cell) []tool.Tool {
	var out []tool.Tool
	for _, p := range a.plugins() {
		exports, known := p.Exports()
		if !known || exports.Tool == nil || !exports.Tool.Available {
			continue
		}
		schema, err := tool.FromSDK(exports.Tool.Schema)
		if err != nil {
			a.notice(p.Name(), fmt.Sprintf("plugin %q: its tool is left out: %v", p.Name(), err))
			continue
		}
		s, m := exports.Tool.Schema, p.Spec().Manifest
		made := pluginTool{plugin: p, sandboxable: confinable(p, exports)}
		if wanted := c.plugin(a.entries[p.Name()]); wanted != nil {
			made.policy, made.apart = *wanted, c.apart(p, wanted, made.sandboxable)
		}
		made.definition = tool.Definition{
			Name: s.Name, Description: s.Description, Usage: s.Usage, Examples: s.Examples, Parameters: schema,
			Source: tool.SourcePlugin, Origin: p.Name(), Parallel: exports.Tool.Parallel, OptIn: m.OptIn, Override: m.Override,
		}
		out = append(out, made)
	}
	return out
}

func (a *App) plugins() []*host.Plugin {
	if a.fleet == nil {
		return nil
	}
	return a.fleet.Plugins()
}

// pluginCommands are the slash commands of plugins.
func (a *App) pluginCommands() []command.Command {
	var out []command.Command
	for _, p := range a.plugins() {
		exports, known := p.Exports()
		if !known || exports.Command == nil {
			continue
		}
		schema := *exports.Command
		out = append(out, command.Command{
			Name: schema.Name, Description: schema.Description, Hints: schema.Hints,
			Source: command.SourcePlugin, Origin: p.Name(),
			Run: func(ctx context.Context, args string) (command.Result, error) {
				r, err := p.Command(ctx, a.talk.Context(), args)
				return command.Result{Output: r.Output, Forward: schema.Forward, Silent: schema.Silent}, err
			},
		})
	}
	return out
}
