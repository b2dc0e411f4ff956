package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// ExecuteUnder runs a tool of the plugin in a child that is started for this one call, under a different policy than the plugin's
// own child. The child receives the call as JSON on its standard input. The tool sees the same as in the plugin's own child,
// except that the package-level state is new. Hooks and commands continue to run in the plugin's own child. The new child has
// exited when ExecuteUnder returns.
func (p *Plugin) ExecuteUnder(ctx context.Context, policy *sandbox.Policy, tool string, sc sdk.Context, args map[string]any) (string, error) {
	sc.PluginConfig = p.Spec().Config
	call := shared.ToolCall{Tool: tool, Context: sc, Args: args, Env: p.sup.opts.callEnv(ctx, p.Spec())}
	out, took, err := p.executeUnder(ctx, policy, call)
	made := Call{Point: PointTool, Request: call, Err: err, span: took}
	if err == nil {
		made.Out = out
	}
	p.sup.reports.call(ctx, made)
	return out, err
}

func (p *Plugin) executeUnder(ctx context.Context, policy *sandbox.Policy, call shared.ToolCall) (out string, took span, err error) {
	spec := p.Spec().now()
	if launchIsLifeline {
		return "", took, &Error{Plugin: spec.Name, Kind: KindLoad, Err: errors.New("this system confines no process, so none can be started under another policy")}
	}
	if down := p.Down(); down != nil {
		return "", took, &Error{Plugin: spec.Name, Doing: PointTool, Kind: KindDown, Err: Reason(down)}
	}
	if spec, err = p.sup.asLoaded(spec); err != nil {
		return "", took, err
	}
	if spec.Verify != nil {
		if err := spec.Verify(); err != nil {
			return "", took, &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
		}
	}
	spec.Sandbox = policy
	sc := call.Context
	if exports, known := p.Exports(); known {
		sc = shared.Without(sc, exports.Unread)
	}
	limits := timeoutsOf(spec.Manifest)
	input, err := shared.OnceCall{
		Tool: call.Tool, Context: sc, Args: call.Args, Env: call.Env, Timeout: p.sup.toolTimeout(call.Tool),
	}.Encode()
	if err != nil {
		return "", took, &Error{Plugin: spec.Name, Doing: PointTool, Kind: KindWire, Err: err}
	}
	took.Version = versionOf(spec.Dir)
	var tape tape
	taped := tape.begin()
	shot := oneshot{proc: processFor(p.sup.opts, spec, took.Version, p.sup.log), call: input, services: onceServices{services{sup: p.sup, tape: &tape}}}
	shot.proc.spec.Once = true
	defer shot.end()
	asked := time.Now()
	if err = p.sup.recordLoad(spec, took.Version, "started for one call"); err == nil {
		err = shot.load(ctx, limits.load)
	}
	began := time.Now()
	took.Waited = began.Sub(asked)
	if err != nil {
		return "", took, err
	}
	out, err = shot.execute(ctx, p.sup.toolTimeout(call.Tool))
	took.Took = time.Since(began)
	p.sup.life.mu.Lock()
	took.Asked = taped.asked
	p.sup.life.mu.Unlock()
	if ctx.Err() != nil {
		return "", took, ctx.Err()
	}
	p.sup.stats.record(took.Took, err)
	return out, took, p.sup.wrap(PointTool, err)
}

// oneshot is a child for one call. The caller must end it.
type oneshot struct {
	proc     *hostProcess
	call     []byte
	services shared.Services
	answers  *shared.OnceAnswers
	// input is the standard input of the child.
	input *os.File
}

// onceServices is what aura does at the request of a child for one call.
type onceServices struct{ services }

// Listen fails: events go to the plugin's own child.
func (onceServices) Listen(context.Context, string) error {
	return errors.New("listening to an event: a process for one call receives no events")
}

// load starts the child and returns when it has loaded the plugin.
func (o *oneshot) load(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := o.start(ctx)
	if err == nil {
		_, err = o.next(ctx)
	}
	if err != nil {
		return o.proc.loadError(ctx, err, limit)
	}
	return nil
}

// start starts the child and sends it the call.
func (o *oneshot) start(ctx context.Context) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making a pipe for the child: %w", err)
	}
	o.proc.input, o.input = theirs, ours
	err = o.proc.Start(ctx)
	closeAll(theirs)
	if err != nil {
		return err
	}
	o.answers = shared.NewOnceAnswers(o.proc.stdout)
	o.answers.Serve(o.services, ours)
	// The child reads the whole call before it makes a request. If the child is gone, reading its answer says so.
	go func() { _, _ = ours.Write(o.call) }()
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
	// Reading from a pipe and writing to one cannot be cancelled, but killing the process ends both.
	stop := context.AfterFunc(ctx, func() {
		o.proc.kill()
		_ = o.input.Close()
	})
	defer stop()
	answer, err := o.answers.Next(ctx)
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
	if o.input != nil {
		_ = o.input.Close()
	}
}
