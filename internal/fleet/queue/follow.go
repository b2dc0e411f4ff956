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
	known := counted{seen: map[string]fleet.Result{}, bad: map[string]bool{}}
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
		o.Damaged = len(known.bad)
		for _, r := range known.seen {
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
			q.count(known, b.Name, entry)
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

// counted holds the results of a batch by task, because a task that is run again has another one later. Tasks in bad have a result that no
// worker wrote.
type counted struct {
	seen map[string]fleet.Result
	bad  map[string]bool
}

// count takes a change of a result.
func (q *Queue) count(known counted, batch string, entry jetstream.KeyValueEntry) {
	_, task, _ := strings.Cut(entry.Key(), ".")
	delete(known.seen, task)
	delete(known.bad, task)
	var r fleet.Result
	switch {
	case entry.Operation() != jetstream.KeyValuePut:
	case json.Unmarshal(entry.Value(), &r) != nil, r.Check(batch, task, q.seal) != nil:
		known.bad[task] = true
	default:
		// Only the figures are needed.
		r.Patch, r.Journal, r.Files, r.Final, r.Stats = fleet.Blob{}, fleet.Blob{}, nil, "", nil
		known.seen[task] = r
	}
}
