package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// Batches returns all batches, the oldest first.
func (q *Queue) Batches(ctx context.Context) ([]fleet.Batch, error) {
	var out []fleet.Batch
	err := each(ctx, q.batches, "*", func(key string, b fleet.Batch, _ uint64) error {
		if err := b.Check(); err != nil || b.Name != key {
			return fmt.Errorf("the record of batch %s cannot be used: %w", key, errors.Join(err, errForeign(b.Name != key)))
		}
		out = append(out, b)
		return nil
	})
	slices.SortFunc(out, func(a, b fleet.Batch) int { return a.Submitted.Compare(b.Submitted) })
	return out, err
}

// Batch returns one batch.
func (q *Queue) Batch(ctx context.Context, name string) (fleet.Batch, error) {
	if err := fleet.CheckName(name); err != nil {
		return fleet.Batch{}, err
	}
	b, _, err := get[fleet.Batch](ctx, q.batches, name)
	if errors.Is(err, errNone) {
		return b, fmt.Errorf("there is no batch %q; `aura fleet status` lists all", name)
	}
	if err == nil {
		err = b.Check()
	}
	return b, err
}

// Bad is a result that cannot be used.
type Bad struct {
	Task string
	Err  error
}

// Results calls f for each result of a batch. Results that are not what a worker wrote are returned separately.
func (q *Queue) Results(ctx context.Context, batch string, f func(fleet.Result) error) ([]Bad, error) {
	var bad []Bad
	err := eachValue(ctx, q.results, batch+".*", func(key string, value []byte, _ uint64) error {
		_, task, _ := strings.Cut(key, ".")
		var r fleet.Result
		err := json.Unmarshal(value, &r)
		if err == nil {
			err = r.Check(batch, task, q.seal)
		}
		if err != nil {
			bad = append(bad, Bad{Task: task, Err: err})
			return nil //nolint:nilerr // it is returned with the others
		}
		return f(r)
	})
	return bad, err
}

// Result returns the result of one task. It returns false if there is none yet.
func (q *Queue) Result(ctx context.Context, batch, task string) (fleet.Result, bool, error) {
	if err := fleet.CheckName(task); err != nil {
		return fleet.Result{}, false, err
	}
	r, _, err := get[fleet.Result](ctx, q.results, batch+"."+task)
	if errors.Is(err, errNone) {
		return r, false, nil
	}
	if err == nil {
		err = r.Check(batch, task, q.seal)
	}
	return r, err == nil, err
}

// Progress calls f for each task of a batch that was begun and has no result.
func (q *Queue) Progress(ctx context.Context, batch string, f func(task string, p fleet.Progress) error) error {
	return each(ctx, q.progress, batch+".*", func(key string, p fleet.Progress, _ uint64) error {
		_, task, _ := strings.Cut(key, ".")
		return f(task, p)
	})
}

// Events calls f with pieces of the log of a task, each a number of JSON lines. An empty task means all tasks of the batch. With
// follow, Events waits for further events until ctx ends or done returns true.
func (q *Queue) Events(ctx context.Context, batch, task string, follow bool, f func(task string, lines []byte) error, done func() bool) error {
	if task == "" {
		task = "*"
	}
	consumer, err := q.js.OrderedConsumer(ctx, eventsStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{eventSubject + batch + "." + task}})
	if err != nil {
		return fmt.Errorf("reading the log: %w", explained(err))
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return fmt.Errorf("reading the log: %w", explained(err))
	}
	if info.NumPending == 0 && !follow {
		return nil
	}
	for ctx.Err() == nil {
		batch, err := consumer.Fetch(500, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return fmt.Errorf("reading the log: %w", explained(err))
		}
		got := false
		for msg := range batch.Messages() {
			got = true
			meta, err := msg.Metadata()
			if err != nil {
				return err
			}
			name := msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:]
			if err := f(name, msg.Data()); err != nil {
				return err
			}
			if meta.NumPending == 0 && !follow {
				return nil
			}
		}
		if !got && (!follow || done()) {
			return nil
		}
	}
	return context.Cause(ctx)
}

// Worker is what a worker reports about itself.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	Version string    `json:"version"`
	Slots   int       `json:"slots"`
	Running []string  `json:"running"`
	Since   time.Time `json:"since"`
	// Policy is the hash of the policy of the worker's machine; empty if there is none.
	Policy string `json:"policy,omitempty"`
	// Note is why the worker takes no task; empty if it does.
	Note string `json:"note,omitempty"`
}

// Report writes what a worker reports. The record disappears if it is not repeated.
func (q *Queue) Report(ctx context.Context, w Worker) error {
	return change(ctx, q.workers, w.ID, func(now *Worker, _ bool) (bool, error) {
		*now = w
		return true, nil
	})
}

// Leave removes the record of a worker.
func (q *Queue) Leave(ctx context.Context, id string) { _ = q.workers.Purge(ctx, id) }

// Workers returns the workers that reported lately.
func (q *Queue) Workers(ctx context.Context) ([]Worker, error) {
	var out []Worker
	err := each(ctx, q.workers, "*", func(_ string, w Worker, _ uint64) error {
		out = append(out, w)
		return nil
	})
	slices.SortFunc(out, func(a, b Worker) int { return strings.Compare(a.ID, b.ID) })
	return out, err
}

// Waiting returns how many tasks are queued, in all batches.
func (q *Queue) Waiting(ctx context.Context) (int, error) {
	stream, err := q.js.Stream(ctx, tasksStream)
	if err != nil {
		return 0, explained(err)
	}
	return int(stream.CachedInfo().State.Msgs), nil
}

// Written returns how often a result was stored since the queue was created. Removing one counts, too.
func (q *Queue) Written(ctx context.Context) (int, error) {
	stream, err := q.js.Stream(ctx, "KV_"+resultsBucket)
	if err != nil {
		return 0, explained(err)
	}
	return int(stream.CachedInfo().State.LastSeq), nil
}
