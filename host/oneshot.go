package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// ExecuteUnder runs a tool of the plugin in a child that is started for this one call, under a different policy than the plugin's
// own child. The child receives the call as JSON on its standard input. The tool sees the same as in the plugin's own child,
// except that the package-level state is new. Hooks and commands continue to run in the plugin's own child. The new child has
// exited when ExecuteUnder returns.
func (p *Plugin) ExecuteUnder(ctx context.Context, policy *sandbox.Policy, tool string, sc sdk.Context, args map[string]any) (string, error) {
	out, took, err := p.executeUnder(ctx, policy, tool, sc, args)
	p.sup.observe(PointTool, took, nil, nil, err)
	return out, err
}

func (p *Plugin) executeUnder(ctx context.Context, policy *sandbox.Policy, tool string, sc sdk.Context, args map[string]any) (out string, took span, err error) {
	spec := p.Spec()
	if launchIsLifeline {
		return "", took, &Error{Plugin: spec.Name, Kind: KindLoad, Err: errors.New("this system confines no process, so none can be started under another policy")}
	}
	if down := p.Down(); down != nil {
		return "", took, &Error{Plugin: spec.Name, Doing: PointTool, Kind: KindDown, Err: Reason(down)}
	}
	if spec.Verify != nil {
		if err := spec.Verify(); err != nil {
			return "", took, &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
		}
	}
	spec.Sandbox = policy
	sc.PluginConfig = spec.Config
	if exports, known := p.Exports(); known {
		sc = shared.Without(sc, exports.Unread)
	}
	limits := timeoutsOf(spec.Manifest)
	input, err := shared.OnceCall{
		Tool: tool, Context: sc, Args: args, Env: grantTask(p.sup.opts.TaskEnv, spec.variables()), Timeout: p.toolTimeout(tool),
	}.Encode()
	if err != nil {
		return "", took, &Error{Plugin: spec.Name, Doing: PointTool, Kind: KindWire, Err: err}
	}
	shot := oneshot{proc: processFor(p.sup.opts, spec, p.sup.log)}
	shot.proc.input, shot.proc.spec.Once = input, true
	defer shot.end()
	asked := time.Now()
	err = shot.load(ctx, limits.load)
	began := time.Now()
	took.Waited = began.Sub(asked)
	if err != nil {
		return "", took, err
	}
	out, err = shot.execute(ctx, p.toolTimeout(tool))
	took.Took = time.Since(began)
	if ctx.Err() != nil {
		return "", took, ctx.Err()
	}
	p.sup.record(took.Took, err)
	return out, took, p.sup.wrap(PointTool, err)
}

// oneshot is a child for one call. The caller must end it.
type oneshot struct {
	proc    *hostProcess
	answers *shared.OnceAnswers
}

// load starts the child and returns when it has loaded the plugin.
func (o *oneshot) load(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := o.proc.Start(ctx)
	if err == nil {
		o.answers = shared.NewOnceAnswers(o.proc.stdout)
		_, err = o.next(ctx)
	}
	if err != nil {
		return o.proc.loadError(ctx, err, limit)
	}
	return nil
}

// execute returns the result of the tool.
func (o *oneshot) execute(ctx context.Context, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit+shared.Grace)
	defer cancel()
	out, err := o.next(ctx)
	failure, failed := errors.AsType[*shared.Failure](err)
	switch {
	case err == nil:
		return out, nil
	case failed:
		return "", &Error{Kind: KindPlugin, Err: pluginError(failure)}
	case ctx.Err() != nil:
		return "", &Error{Kind: KindTimeout, Err: o.proc.overdue(limit)}
	case o.proc.awaitExit(deathGrace):
		return "", &Error{Kind: KindCrash, Err: o.proc.deathNote()}
	default:
		return "", &Error{Kind: KindWire, Err: fmt.Errorf("the plugin's process gave no answer: %w", err)}
	}
}

// next waits for an answer until ctx is done.
func (o *oneshot) next(ctx context.Context) (string, error) {
	// Reading from a pipe cannot be cancelled, but killing the process ends it.
	stop := context.AfterFunc(ctx, o.proc.kill)
	defer stop()
	answer, err := o.answers.Next()
	if err == nil {
		err = answer.Err()
	}
	return answer.Output, err
}

func (o *oneshot) end() {
	o.proc.kill()
	if o.answers != nil {
		_ = o.proc.stdout.Close()
	}
}
