package app

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// openTelemetry returns the tracer that the environment asks for, if the policy of the machine permits its collectors.
func openTelemetry(ctx context.Context, p *machinepolicy.Policy, version string, secrets *redact.Current) (*telemetry.Tracer, error) {
	if err := permitTelemetry(p); err != nil {
		return nil, err
	}
	return telemetry.Open(ctx, version, secrets)
}

// readPolicy applies a policy that a reload has read to what a session opens once: the export of traces, and the audit log.
func readPolicy(p *machinepolicy.Policy, read func(*machinepolicy.Policy) error) error {
	if err := permitTelemetry(p); err != nil {
		return fmt.Errorf("%w; end this session, and begin one without the collector", err)
	}
	if read == nil {
		return nil
	}
	return read(p)
}

// permitTelemetry returns an error if the policy of the machine does not permit the collectors that the environment names.
func permitTelemetry(p *machinepolicy.Policy) error {
	for _, address := range telemetry.Collectors() {
		if err := p.Collector(address); err != nil {
			return fmt.Errorf("exporting traces and metrics: %w", err)
		}
	}
	return nil
}

// requirement ends a session whose policy of the machine requires a plugin that no longer runs.
type requirement struct{ lost atomic.Pointer[error] }

// err returns why the session must end, or nil.
func (r *requirement) err() error {
	if lost := r.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// watchRequired ends what the session does if a required plugin of a setup has ended for good, other than with the session.
func watchRequired(s *Session, of *setup.Setup, c host.StateChange) {
	if c.To != host.StateQuarantined && c.To != host.StateStopped || errors.Is(c.Reason, host.ErrClosing) {
		return
	}
	if rule, ok := of.RequiredBy(c.Plugin); ok {
		err := error(&machinepolicy.RefusalError{What: "a session without the plugin " + c.Plugin, Rule: rule})
		if c.Reason != nil {
			err = fmt.Errorf("%w: %w", err, c.Reason)
		}
		s.running.required.lost.Store(&err)
		s.Cancel(err)
	}
}

// retain removes the saved sessions of the user that are older than the policy of the machine permits.
func retain(c *config.Config, show func(string)) {
	age, rule := c.Machine.Retention()
	if age == 0 || c.State.Sessions() == "" {
		return
	}
	removed, err := inspect.Prune(c, inspect.PruneOptions{Older: age, All: true}, time.Now())
	if err != nil {
		show(err.Error())
	}
	if len(removed) > 0 {
		show(fmt.Sprintf("%d saved sessions were removed, as the policy of this machine says: %s", len(removed), rule))
	}
}
