package host

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/idelchi/aura/shared"
)

// Do makes one call exactly as it is given: the plugin's condition, its once setting and its configuration do not apply, and a guard
// that fails closed only fails. call is a shared.HookCall, ToolCall, PathsCall, CommandCall or EventCall. The result has the type that
// shared.Plugin declares for the call; it is nil for an event, and of failed calls only a hook may have one. took is how long the child worked on the call. The deadlines of the
// plugin apply.
func (p *Plugin) Do(ctx context.Context, call any) (out any, took time.Duration, err error) {
	made := p.sup.do(ctx, call)
	return made.Out, made.Took, made.Err
}

// do makes one call of the plugin's child, and reports it. All calls but those of children for a single call are made here.
func (s *supervisor) do(ctx context.Context, request any) Call {
	made := Call{Request: request}
	doing, limit := "", timeoutsOf(s.life.currentSpec().Manifest).hook
	var send func(ctx context.Context, r shared.Remote) error
	switch c := request.(type) {
	case shared.HookCall:
		made.Point = string(c.Point)
		send = func(ctx context.Context, r shared.Remote) (err error) { made.Out, err = r.Hook(ctx, c); return err }
	case shared.ToolCall:
		made.Point, limit = PointTool, s.toolTimeout(c.Tool)
		send = func(ctx context.Context, r shared.Remote) (err error) { made.Out, err = r.Execute(ctx, c); return err }
	case shared.PathsCall:
		made.Point = PointPaths
		send = func(ctx context.Context, r shared.Remote) (err error) { made.Out, err = r.Paths(ctx, c); return err }
	case shared.CommandCall:
		made.Point = PointCommand
		send = func(ctx context.Context, r shared.Remote) (err error) { made.Out, err = r.Command(ctx, c); return err }
	case shared.EventCall:
		made.Point, doing = PointEvent, PointEvent+" "+c.Name
		send = func(ctx context.Context, r shared.Remote) error { return r.Event(ctx, c) }
	default:
		made.Err = fmt.Errorf("calling plugin %q: a %T is no call", s.reports.plugin, request)
		return made
	}
	made.span, made.Err = s.call(ctx, cmp.Or(doing, made.Point), limit, made.Point == PointEvent, send)
	if _, hook := request.(shared.HookCall); made.Err != nil && !hook {
		made.Out = nil
	}
	s.reports.call(ctx, made)
	return made
}

// Passes reports whether the plugin's condition and its once setting permit the call of a hook, and records that it is made.
func (p *Plugin) Passes(ctx context.Context, call shared.HookCall) (bool, error) {
	_, base, err := withConfig(call.Context, nil)
	if err != nil {
		return false, err
	}
	return p.sup.pass(ctx, p.Spec(), call.Point, base)
}
