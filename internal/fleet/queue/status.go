package queue

import (
	"context"
	"time"

	"github.com/idelchi/aura/internal/fleet"
)

// Status is what is known about a whole fleet at one moment.
type Status struct {
	Batches []*fleet.Overview `json:"batches"`
	Workers []Worker          `json:"workers"`
	Limits  fleet.Limits      `json:"limits"`
	Spent   fleet.Spent       `json:"spent"`
}

// Status reads the batches with their results, the workers and the limits.
func (q *Queue) Status(ctx context.Context) (Status, error) {
	out := Status{Batches: []*fleet.Overview{}}
	list, err := q.Batches(ctx)
	if err != nil {
		return out, err
	}
	for _, b := range list {
		err := q.Follow(ctx, b, time.Hour, func(now *fleet.Overview) bool {
			out.Batches = append(out.Batches, now)
			return false
		})
		if err != nil {
			return out, err
		}
	}
	if out.Workers, err = q.Workers(ctx); err != nil {
		return out, err
	}
	out.Workers = append([]Worker{}, out.Workers...)
	if out.Limits, err = q.FleetLimits(ctx); err != nil {
		return out, err
	}
	out.Spent, err = q.Spent(ctx, "")
	return out, err
}
