package app

import (
	"context"
	"errors"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

// watchPlugins makes a fleet report calls and state changes to the flight recorder, to the tracer and, if send is not nil, as events.
// changed receives the state changes too.
func watchPlugins(
	o *host.Observer, to *flight, tracer *telemetry.Tracer, secrets *redact.Current, changed func(host.StateChange), send func(event.Event),
) {
	o.OnStart = to.started
	o.OnCall = func(ctx context.Context, c host.Call) {
		e, changes := pluginCall(c, secrets.Get())
		to.call(c, e, changes)
		tracer.Plugin(ctx, telemetry.Call{
			Plugin: e.Plugin, Point: e.Point, Outcome: string(e.Outcome), Error: e.Error, Waited: e.Waited, Took: e.Duration, Process: c.Child,
		})
		if send != nil {
			send(e)
		}
	}
	o.OnState = func(c host.StateChange) {
		to.state(c)
		changed(c)
		if c.To == host.StateRestarting {
			tracer.Restarted(c.Plugin)
		}
		if send != nil {
			send(event.PluginState{
				Plugin: c.Plugin, Previous: string(c.From), State: string(c.To), Pid: c.Pid, Reason: reasonText(c.Reason, secrets.Get()),
			})
		}
	}
}

// watchLogs makes a fleet report what plugins log as events.
func watchLogs(o *host.Observer, send func(event.Event)) {
	o.OnLog = func(plugin, level, text string) { send(event.PluginLog{Plugin: plugin, Level: level, Text: text}) }
}

// pluginCall returns the event of a call, and what the call changed.
func pluginCall(c host.Call, secrets *redact.Redactor) (event.PluginCall, []pipeline.Change) {
	e := event.PluginCall{
		Plugin: c.Plugin, Point: c.Point, Outcome: event.OutcomeNothing, Waited: c.Waited, Duration: c.Took,
	}
	effect, changes, err := pipeline.Describe(hookpoint.Name(c.Point), c.In(), c.Out)
	if c.Err != nil {
		err = c.Err
	}
	e.Fields, e.Error = effect.Fields, reasonText(err, secrets)
	failure, failed := errors.AsType[*host.Error](err)
	switch {
	case failed && failure.Kind == host.KindTimeout:
		e.Outcome = event.OutcomeTimeout
	case err != nil:
		e.Outcome = event.OutcomeError
	case effect.Blocked:
		e.Outcome = event.OutcomeBlocked
	case effect.Injected:
		e.Outcome = event.OutcomeInjected
	case len(effect.Fields) > 0:
		e.Outcome = event.OutcomeChanged
	}
	return e, changes
}

// reasonText returns an error without the plugin's name and without secrets. It shortens the text last, because the beginning
// of a secret would not be recognized.
func reasonText(err error, secrets *redact.Redactor) string {
	if err == nil {
		return ""
	}
	return limit.Cut(secrets.String(host.Reason(err).Error()), limit.Notice, "a reason in an event")
}
