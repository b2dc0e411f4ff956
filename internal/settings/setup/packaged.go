package setup

import (
	"context"
	"fmt"
	"os"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// packaged returns how a server of a portable plugin is started: in the plugin's directory, or in the one that its mcp.json names. With a
// sandbox it can read the plugin's directory and write the directory for its data.
func (c Confinement) packaged(s config.MCPServer) *mcp.Launch {
	p := *s.Package
	start := func(_ context.Context, s process.Spec) (*process.Process, error) { return process.Start(s) }
	out := &mcp.Launch{}
	if c.enabled {
		c.place.DataDir, c.place.Output = p.Data, ""
		policy := c.extended(sandbox.Paths{ReadOnly: []string{p.Root}}).Policy(sandbox.KindServer)
		out.Environ, out.Hint = policy.Environ, "it runs in the sandbox of plugins, with the plugin's directory to read and its directory for data to write"
		start = func(ctx context.Context, spec process.Spec) (*process.Process, error) {
			return c.in(spec.Dir).starter(serverProgram(s.Name, s.Source.File), policy)(ctx, spec)
		}
	}
	out.Start = func(ctx context.Context, spec process.Spec) (*process.Process, error) {
		if err := os.MkdirAll(p.Data, 0o700); err != nil {
			return nil, fmt.Errorf("making the plugin's directory for data: %w", err)
		}
		if p.Claude() {
			return start(ctx, spec) // in the working directory, as in Claude Code
		}
		var err error
		if spec.Dir, err = p.Workdir(s.Cwd, p.Data); err == nil {
			err = p.Contained(s.Cwd, spec.Dir, p.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("finding its working directory: %w", err)
		}
		return start(ctx, spec)
	}
	return out
}

// in returns the confinement for a process that starts in another directory than the working directory.
func (c Confinement) in(dir string) Confinement {
	c.grants = sandbox.GrantsIn(dir)
	if program, err := toolhost.Program(); err == nil {
		c.grants.UseHelper(program.Start)
	}
	return c
}
