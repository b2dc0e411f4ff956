package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// Cancel cancels tasks of a batch, or the whole batch if none is named. It returns how many tasks had no result yet.
func (q *Queue) Cancel(ctx context.Context, name string, tasks []string) (int, error) {
	b, err := q.Batch(ctx, name)
	if err != nil {
		return 0, err
	}
	if len(tasks) == 0 {
		err = change(ctx, q.batches, name, func(b *fleet.Batch, exists bool) (bool, error) {
			write := exists && b.State != fleet.BatchCanceled
			b.State = fleet.BatchCanceled
			return write, nil
		})
		if err != nil {
			return 0, err
		}
		all, err := q.Tasks(ctx, b)
		if err != nil {
			return 0, err
		}
		for _, t := range all {
			tasks = append(tasks, t.ID)
		}
	} else if err := q.known(ctx, b, tasks); err != nil {
		return 0, err
	}
	done := map[string]bool{}
	if _, err := q.Results(ctx, name, func(r fleet.Result) error { done[r.Task] = true; return nil }); err != nil {
		return 0, err
	}
	n := 0
	for _, id := range tasks {
		if done[id] {
			continue
		}
		now := time.Now().UTC()
		_, err := q.commit(ctx, fleet.Result{
			Batch: name, Task: id, Status: fleet.StatusCanceled, Class: "canceled", Error: "canceled by `aura fleet cancel`", Started: now, Ended: now,
		})
		if errors.Is(err, ErrLost) {
			continue
		}
		if err != nil {
			return n, err
		}
		n++
		_ = q.nc.Publish(cancelSubject+name+"."+id, nil)
		if err := q.unqueue(ctx, name+"."+id); err != nil {
			return n, err
		}
	}
	return n, q.nc.FlushTimeout(requestTime)
}

// unqueue takes a task, or with * all tasks of a batch, off the queue.
func (q *Queue) unqueue(ctx context.Context, key string) error {
	stream, err := q.js.Stream(ctx, tasksStream)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(taskSubject+key))
	}
	if err != nil {
		return fmt.Errorf("taking %s off the queue: %w", key, explained(err))
	}
	_ = q.progress.Purge(ctx, key)
	return nil
}

// known returns an error if a batch has no task of one of the names.
func (q *Queue) known(ctx context.Context, b fleet.Batch, tasks []string) error {
	all, err := q.Tasks(ctx, b)
	if err != nil {
		return err
	}
	for _, id := range tasks {
		if !slices.ContainsFunc(all, func(t fleet.Task) bool { return t.ID == id }) {
			return fmt.Errorf("batch %s has no task %q", b.Name, id)
		}
	}
	return nil
}

// Retry runs tasks again whose results are not StatusDone: the named ones, or all. Named tasks run again whatever their result is. The
// limits replace those of the batch if they are not nil. It returns how many tasks were queued.
func (q *Queue) Retry(ctx context.Context, name string, ids []string, raise func(*fleet.Limits)) (int, error) {
	b, err := q.Batch(ctx, name)
	if err != nil {
		return 0, err
	}
	all, err := q.Tasks(ctx, b)
	if err == nil && len(ids) > 0 {
		err = q.known(ctx, b, ids)
	}
	if err != nil {
		return 0, err
	}
	again := map[string]bool{}
	bad, err := q.Results(ctx, name, func(r fleet.Result) error {
		again[r.Task] = slices.Contains(ids, r.Task) || len(ids) == 0 && r.Status != fleet.StatusDone
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, r := range bad {
		again[r.Task] = len(ids) == 0 || slices.Contains(ids, r.Task)
	}
	err = change(ctx, q.batches, name, func(b *fleet.Batch, exists bool) (bool, error) {
		b.State = fleet.BatchOpen
		if raise != nil {
			raise(&b.Limits)
		}
		return exists, nil
	})
	if err != nil {
		return 0, err
	}
	var queued []fleet.Task
	for _, t := range all {
		if !again[t.ID] {
			continue
		}
		// First the record of the attempt, then the result: a task without a result and off the queue would be lost.
		_ = q.progress.Purge(ctx, t.Key())
		if err := q.publish(ctx, []fleet.Task{t}); err != nil {
			return len(queued), fmt.Errorf("queueing task %s again: %w", t.ID, explained(err))
		}
		if err := q.results.Purge(ctx, t.Key()); err != nil {
			return len(queued), fmt.Errorf("removing the result of task %s: %w", t.ID, explained(err))
		}
		queued = append(queued, t)
	}
	// A worker may have taken a task while it still had its result.
	return len(queued), q.publish(ctx, queued)
}

// Remove removes a batch with everything that belongs to it. Running tasks are ended first.
func (q *Queue) Remove(ctx context.Context, name string) error {
	b, err := q.Batch(ctx, name)
	if err != nil {
		return err
	}
	if _, err := q.Cancel(ctx, name, nil); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("removing batch %s: %w", b.Name, explained(err)) }
	for stream, subject := range map[string]string{
		tasksStream: taskSubject + name + ".*", eventsStream: eventSubject + name + ".*",
		"KV_" + resultsBucket: "$KV." + resultsBucket + "." + name + ".*", "KV_" + progressBucket: "$KV." + progressBucket + "." + name + ".*",
	} {
		s, err := q.js.Stream(ctx, stream)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		if err != nil {
			return fail(err)
		}
	}
	list, err := q.objects.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return fail(err)
	}
	for _, object := range list {
		if strings.HasPrefix(object.Name, name+".") {
			if err := q.objects.Delete(ctx, object.Name); err != nil {
				return fail(err)
			}
		}
	}
	_ = q.fleet.Purge(ctx, spentKey(name))
	if err := q.batches.Purge(ctx, name); err != nil {
		return fail(err)
	}
	return nil
}
