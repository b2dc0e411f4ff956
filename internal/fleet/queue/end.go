package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// end does what follows the storing of a result: it counts what the task used, where there is a limit, and removes the record of its
// progress. A worker may die between any two of these steps. The task is still queued then, so the next worker repeats them all; what
// was counted is not counted twice. Only one worker at a time gets to the last steps, because the record must have the given revision.
func (q *Queue) end(ctx context.Context, r fleet.Result, b fleet.Batch, p fleet.Progress, revision uint64) error {
	all, err := q.FleetLimits(ctx)
	if err != nil {
		return err
	}
	limited := map[string]fleet.Limits{b.Name: b.Limits, "": all}
	for name, l := range limited {
		if l.Counts() {
			err = errors.Join(err, q.charge(ctx, name, r))
		}
	}
	if err != nil {
		return fmt.Errorf("counting what task %s used: %w", r.Task, err)
	}
	if k := p.Checkpoint; k != nil {
		q.dropBlob(ctx, k.Journal)
		q.dropBlob(ctx, k.Patch)
	}
	if err := q.progress.Purge(ctx, r.Key(), jetstream.LastRevision(revision)); err != nil {
		return fmt.Errorf("removing the record of task %s: %w", r.Task, err)
	}
	for name, l := range limited {
		if l.Counts() {
			err = errors.Join(err, q.charged(ctx, name, r))
		}
	}
	return err
}

// takeEnd completes what the worker that stored a result left undone.
func (q *Queue) takeEnd(ctx context.Context, r fleet.Result, b fleet.Batch) error {
	p, revision, err := get[fleet.Progress](ctx, q.progress, r.Key())
	if errors.Is(err, errNone) {
		return errors.Join(q.charged(ctx, b.Name, r), q.charged(ctx, "", r))
	}
	if err != nil {
		return err
	}
	if !p.Genuine(r.Key(), q.seal) {
		p = fleet.Progress{Version: fleet.Format}
	}
	// A worker that stored the result and is slow cannot remove the record any more.
	if revision, err = q.putProgress(ctx, r.Key(), p, revision); err != nil {
		return err
	}
	return q.end(ctx, r, b, p, revision)
}
