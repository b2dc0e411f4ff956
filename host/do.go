package host

import (
	"context"
	"fmt"
	"time"

	"github.com/idelchi/aura/shared"
)

// Do makes one call exactly as it is given: the plugin's condition, its once setting and its configuration do not apply, and a guard
// that fails closed only fails. call is a shared.HookCall, ToolCall, PathsCall, CommandCall or EventCall. The result has the type that
// shared.Plugin declares for the call; it is nil for an event. took is how long the child worked on the call. The deadlines of the
// plugin apply.
func (p *Plugin) Do(ctx context.Context, call any) (out any, took time.Duration, err error) {
	limits := timeoutsOf(p.sup.life.currentSpec().Manifest)
	point, doing, limit := "", "", limits.hook
	var do func(ctx context.Context, r shared.Remote) error
	switch c := call.(type) {
	case shared.HookCall:
		point, doing = string(c.Point), string(c.Point)
		do = func(ctx context.Context, r shared.Remote) (err error) { out, err = r.Hook(ctx, c); return err }
	case shared.ToolCall:
		point, doing, limit = PointTool, PointTool, p.toolTimeout(c.Tool)
		do = func(ctx context.Context, r shared.Remote) (err error) { out, err = r.Execute(ctx, c); return err }
	case shared.PathsCall:
		point, doing = PointPaths, PointPaths
		do = func(ctx context.Context, r shared.Remote) (err error) { out, err = r.Paths(ctx, c); return err }
	case shared.CommandCall:
		point, doing = PointCommand, PointCommand
		do = func(ctx context.Context, r shared.Remote) (err error) { out, err = r.Command(ctx, c); return err }
	case shared.EventCall:
		point, doing = PointEvent, PointEvent+" "+c.Name
		do = func(ctx context.Context, r shared.Remote) error { return r.Event(ctx, c) }
	default:
		return nil, 0, fmt.Errorf("calling plugin %q: a %T is no call", p.Name(), call)
	}
	span, err := p.sup.call(ctx, doing, limit, do)
	if err != nil {
		out = nil
	}
	p.sup.reports.call(ctx, Call{Point: point, Request: call, Out: out, Err: err, span: span})
	return out, span.Took, err
}

// Passes reports whether the plugin's condition and its once setting permit the call of a hook, and records that it is made.
func (p *Plugin) Passes(ctx context.Context, call shared.HookCall) (bool, error) {
	_, base, err := withConfig(call.Context, nil)
	if err != nil {
		return false, err
	}
	return p.sup.pass(ctx, p.Spec(), call.Point, base)
}
