package setup

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/mcpauth"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/shell"
)

// A deputy is a process that aura starts for a setting: a shell hook, the command of a condition, an MCP server. A deputy reads and runs
// files of the working directory, which tools can write. So it is confined like the tools, or it runs where no tool can write.

// extended returns the confinement with further paths.
func (c Confinement) extended(extra sandbox.Paths) Confinement {
	c.settings.Extra = sandbox.Paths{
		ReadOnly:  slices.Concat(c.settings.Extra.ReadOnly, extra.ReadOnly),
		ReadWrite: slices.Concat(c.settings.Extra.ReadWrite, extra.ReadWrite),
	}
	return c
}

// line returns a command line under the policy of Bash.
func (c Confinement) line(by caller, extra sandbox.Paths, line shell.Command) shell.Command {
	if !c.enabled {
		return line
	}
	p := c.extended(extra).Policy(sandbox.KindShell)
	if c.shown != "" {
		p.Own, p.Shown = append(slices.Clip(p.Own), c.shown), append(slices.Clip(p.Shown), c.shown)
	}
	line.Dir, line.Env, line.Start = c.grants.Dir(), p.Environ(line.Env), c.starter(by, p)
	return line
}

// starter returns a function that starts a process under a policy.
func (c Confinement) starter(by caller, p sandbox.Policy) func(context.Context, process.Spec) (*process.Process, error) {
	return func(ctx context.Context, s process.Spec) (*process.Process, error) {
		s.Dir = c.grants.Dir()
		started, report, err := sandbox.Start(ctx, s, c.grants.Open(p.With(c.trafficOf(by))))
		if c.tell != nil && err == nil {
			c.tell(report.Uncovered)
		}
		if report.Confined && !report.Mounts {
			c.Expose()
		}
		return started, err
	}
}

// MCP returns the MCP servers of a configuration, and the options to connect to them. notify receives notices for the user.
func (c Confinement) MCP(of *config.Config, notify func(text string)) (mcp.Options, []mcp.Server) {
	var list []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(of.MCPServers)) {
		list = append(list, c.server(of, of.MCPServers[name]))
	}
	program, err := toolhost.Program()
	if err != nil {
		notify(fmt.Sprintf("%v; a process that an MCP server detaches may outlive the session", err))
	}
	return mcp.Options{Workdir: of.Workdir, Environ: of.Environ, Executable: program.Start, Notify: notify}, list
}

// server returns a server of a configuration. With a sandbox it is confined, unless its settings exempt it: it then starts where tools
// cannot write, from a program that they cannot write.
func (c Confinement) server(of *config.Config, s config.MCPServer) mcp.Server {
	out := mcp.Server{
		Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers, Timeout: s.Timeout.Duration(),
		Disabled: s.Disabled, Deferred: s.Deferred, Source: s.Source.File,
	}
	for _, r := range of.References {
		if r.File == s.Source.File && !slices.Contains(out.Variables, r.Name) {
			out.Variables = append(out.Variables, r.Name)
		}
	}
	if s.Type == config.MCPHTTP {
		out.Tokens = Logins(of).Tokens(s.URL)
	}
	switch {
	case s.Type == config.MCPStdio && s.Package != nil:
		out.Launch = c.packaged(s)
	case !c.enabled || s.Type != config.MCPStdio:
	case s.Unconfined():
		out.Launch = outsideServer(of)
	default:
		c.place.DataDir, c.place.Output = of.State.Server(s.Name), ""
		p := c.extended(sandbox.Paths(s.Extra)).Policy(sandbox.KindServer)
		var last atomic.Pointer[sandbox.Policy]
		out.Launch = &mcp.Launch{
			Environ: func(env []string) []string { return append(p.Environ(env), "AURA_DATA_DIR="+c.place.DataDir) },
			Start: func(ctx context.Context, spec process.Spec) (*process.Process, error) {
				opened := c.grants.Open(p)
				last.Store(&opened)
				return c.starter(serverProgram(s.Name, s.Source.File), opened)(ctx, spec)
			},
			Outdated: func() string {
				opened := last.Load()
				if opened == nil {
					return ""
				}
				if path := c.grants.Outdated(*opened); path != "" {
					return path + " is hidden now (sandbox.hidden)"
				}
				return ""
			},
			Hint: "it runs in the sandbox; extra.ro and extra.rw grant it more paths, and sandbox: off everything",
		}
	}
	return out
}

// Logins returns the user's logins to MCP servers.
func Logins(c *config.Config) mcpauth.Store { return mcpauth.Store{Dir: c.State.Logins()} }

// LoginSettings returns what a server's settings say about its login.
func LoginSettings(s config.MCPServer) mcpauth.Settings {
	return mcpauth.Settings{
		ClientID: s.Auth.ClientID, ClientSecret: s.Auth.ClientSecret, ClientMetadata: s.Auth.ClientMetadata, Scopes: s.Auth.Scopes, RedirectPort: s.Auth.RedirectPort,
	}
}

// outsideLine returns a command line that runs outside of the sandbox.
func outsideLine(c *config.Config, line shell.Command) (shell.Command, error) {
	at, err := outsideOf(c)
	if err != nil {
		return line, err
	}
	line.Dir = at.dir
	line.Env, line.Refused = install.SafeEnviron(line.Env, at.writable...)
	line.Refused = append(line.Refused, at.writable...)
	return line, nil
}

// TaskLines returns the function that gives the pre and post lines of a task their place. They are the user's own command lines, with the whole
// environment. If the policy of the machine permits nothing without the sandbox, they are confined like Bash.
func TaskLines(c *config.Config, task config.Task, dir string, vars map[string]string) (func(shell.Command) shell.Command, error) {
	if c.Machine.SandboxRequired("") == nil {
		return func(line shell.Command) shell.Command {
			line.Dir, line.Env = dir, WithTask(c.Environ, vars)
			return line
		}, nil
	}
	here := *c
	here.Workdir = dir
	f, err := c.FeaturesFor(config.Agent{}, config.Mode{}, &task)
	if err == nil {
		err = RequireSandbox(f)
	}
	if err != nil {
		return nil, err
	}
	confined := NewConfinement(&here, f, "")
	return func(line shell.Command) shell.Command {
		line.Dir, line.Env = dir, environment(c.Environ, f.Sandbox.Env, vars)
		return confined.line(caller{who: "task " + task.Name, source: declaredIn("task "+task.Name, task.Source.File), doing: line.Line}, sandbox.Paths{}, line)
	}, nil
}

// outsideServer returns how a server starts outside of the sandbox.
func outsideServer(c *config.Config) *mcp.Launch {
	return &mcp.Launch{
		Environ: func(env []string) []string {
			env, _ = install.SafeEnviron(env, writableOf(c).writable...)
			return env
		},
		Start: func(_ context.Context, s process.Spec) (*process.Process, error) {
			at, err := outsideOf(c)
			if err != nil {
				return nil, err
			}
			s.Dir = at.dir
			return process.Start(s)
		},
		Check: func(program string) error {
			if install.Changeable(program, writableOf(c).writable...) {
				return fmt.Errorf("starting %s outside of the sandbox: tools can write it; install it elsewhere, or remove sandbox: off", program)
			}
			return nil
		},
	}
}

// prepareHook returns the function that makes hooks run confined, or outside of the sandbox where no tool can write. A hook of a portable
// plugin reads the plugin's files and writes its directory for data.
func prepareHook(c *config.Config, confined func() Confinement) func(hooks.Entry, string, shell.Command) (shell.Command, error) {
	return func(e hooks.Entry, transcript string, line shell.Command) (shell.Command, error) {
		root, data := c.Hooks[e.Name].Source.Home.Package()
		if data != "" {
			if err := os.MkdirAll(data, 0o700); err != nil {
				return line, fmt.Errorf("making the plugin's directory for data: %w", err)
			}
		}
		switch {
		case !confines(c):
			return line, nil
		case e.Unconfined:
			return outsideLine(c, line)
		}
		at, extra := confined(), sandbox.Paths(e.Extra)
		if root != "" {
			at.place.DataDir, extra.ReadOnly = data, append(slices.Clone(extra.ReadOnly), root)
		}
		if transcript != "" {
			at.shown = filepath.Dir(transcript)
		}
		by := caller{who: "hook " + e.Name, source: declaredIn(HookProgram+e.Name, c.Hooks[e.Name].Source.File)}
		return at.line(by, extra, line), nil
	}
}

// explainHook returns the function that names the rule of the sandbox by which a hook failed.
func explainHook(c *config.Config, confined func() Confinement) func(hooks.Entry, string) string {
	if !confines(c) {
		return nil
	}
	return func(e hooks.Entry, output string) string {
		if e.Unconfined {
			return ""
		}
		at := confined()
		policy := at.extended(sandbox.Paths(e.Extra)).Policy(sandbox.KindShell)
		text, denied := sandbox.Explain(at.grants.Open(policy), c.Workdir, output)
		if denied == nil || denied.Closed {
			return text
		}
		return text + fmt.Sprintf("; extra.ro and extra.rw of hook %s grant it more paths", e.Name)
	}
}

// Rights describes what confines a shell hook or an MCP server, for lists and for the user's consent.
func Rights(c *config.Config, unconfined bool, extra config.SandboxPaths) string {
	if unconfined || !confines(c) {
		return notConfined
	}
	text := "confined"
	if len(extra.ReadOnly) > 0 {
		text += ", reads also " + strings.Join(extra.ReadOnly, ", ")
	}
	if len(extra.ReadWrite) > 0 {
		text += ", writes also " + strings.Join(extra.ReadWrite, ", ")
	}
	return text
}

const notConfined = "not confined"

// Exempt lists the hooks and servers that the settings exempt from the sandbox, which the others run in. It is empty without a sandbox.
func Exempt(c *config.Config) []string {
	var out []string
	if !confines(c) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Hooks)) {
		if h := c.Hooks[name]; h.Unconfined && !h.Disabled {
			out = append(out, fmt.Sprintf("hook %s runs outside of the sandbox (sandbox: off in %s)", name, h.Source.File))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		if s := c.MCPServers[name]; s.Unconfined() && !s.Disabled {
			out = append(out, fmt.Sprintf("MCP server %s runs outside of the sandbox (sandbox: off in %s)", name, s.Source.File))
		}
	}
	return out
}
