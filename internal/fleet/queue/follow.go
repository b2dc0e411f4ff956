package queue

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// Follow calls f with the overview of a batch, first when all present results are counted, then at intervals until f returns false.
func (q *Queue) Follow(ctx context.Context, b fleet.Batch, every time.Duration, f func(*fleet.Overview) bool) error {
	watcher, err := q.results.Watch(ctx, b.Name+".*")
	if err != nil {
		return explained(err)
	}
	defer func() { _ = watcher.Stop() }()
	// seen holds the results by task, because a task that is run again has another one later.
	seen := map[string]fleet.Result{}
	bad := map[string]bool{}
	show := func() (bool, error) {
		running, err := q.runningIn(ctx, b.Name)
		if err != nil {
			return false, err
		}
		now, err := q.Batch(ctx, b.Name)
		if err != nil {
			return false, err
		}
		o := fleet.NewOverview(now)
		o.Damaged = len(bad)
		for _, r := range seen {
			o.Add(r)
		}
		o.At(time.Now(), running)
		return f(o), nil
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case entry, open := <-watcher.Updates():
			if !open {
				return errors.New("the connection was closed")
			}
			if entry == nil {
				if more, err := show(); err != nil || !more {
					return err
				}
				continue
			}
			_, task, _ := strings.Cut(entry.Key(), ".")
			delete(seen, task)
			delete(bad, task)
			var r fleet.Result
			switch {
			case entry.Operation() != jetstream.KeyValuePut:
			case json.Unmarshal(entry.Value(), &r) != nil, r.Check(b.Name, task, q.seal) != nil:
				bad[task] = true
			default:
				// Only the figures are needed.
				r.Patch, r.Journal, r.Files, r.Final, r.Stats = fleet.Blob{}, fleet.Blob{}, nil, "", nil
				seen[task] = r
			}
		case <-ticker.C:
			if more, err := show(); err != nil || !more {
				return err
			}
		}
	}
}

// runningIn returns how many tasks of a batch run now, by what the workers report.
func (q *Queue) runningIn(ctx context.Context, batch string) (int, error) {
	workers, err := q.Workers(ctx)
	n := 0
	for _, w := range workers {
		for _, key := range w.Running {
			if strings.HasPrefix(key, batch+".") {
				n++
			}
		}
	}
	return n, err
}
