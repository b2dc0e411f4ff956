package host

import (
	"context"
	"time"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// ExecuteUnder runs the plugin's tool in a child that is started for this one call, under a policy that the plugin's own child was
// not started with. The tool sees what it would see there, but for the package-level state, which is new; hooks and commands stay
// where they are. The child is gone when it returns.
func (p *Plugin) ExecuteUnder(ctx context.Context, policy *sandbox.Policy, sc sdk.Context, args map[string]any) (string, error) {
	spec := p.sup.specNow()
	if spec.Verify != nil {
		if err := spec.Verify(); err != nil {
			return "", &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
		}
	}
	spec.Sandbox = policy
	sc.PluginConfig = spec.Config
	c, err := startChild(ctx, p.sup.opts, spec, p.sup.log)
	if err != nil {
		return "", err
	}
	defer c.stop()
	limit := timeoutsOf(spec.Manifest).tool
	rpc, cancel := context.WithTimeout(ctx, limit+shared.Grace)
	defer cancel()
	began := time.Now()
	call := shared.ToolCall{Context: sc, Args: args, Env: grantTask(p.sup.opts.TaskEnv, spec.Manifest.Env)}
	out, err := c.Execute(rpc, call)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	err = p.sup.judge(ctx, c, limit, err)
	p.sup.record(time.Since(began), err)
	return out, p.sup.wrap("tool", err)
}
