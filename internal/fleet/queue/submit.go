package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// jsMaxPerSubject is JetStream's error for a task that is already queued.
const jsMaxPerSubject jetstream.ErrorCode = 10077

// Submit queues a batch. The same batch is queued once, however often it is submitted; a submission that was interrupted is
// completed. It reports whether the batch was new.
func (q *Queue) Submit(ctx context.Context, name string, limits fleet.Limits, tasks []fleet.Task) (bool, error) {
	list, digest, err := encodeTasks(tasks)
	if err != nil {
		return false, err
	}
	fail := func(err error) (bool, error) {
		return false, fmt.Errorf("submitting batch %s: %w", name, explained(err))
	}
	known, revision, err := get[fleet.Batch](ctx, q.batches, name)
	switch {
	case err == nil && known.Digest != digest:
		return fail(errors.New("another batch of this name exists: choose another name with --batch, or remove it with `aura fleet rm`"))
	case err == nil && known.State != fleet.BatchFilling:
		return false, nil
	case err != nil && !errors.Is(err, errNone):
		return fail(err)
	}
	if errors.Is(err, errNone) {
		if _, err := q.objects.PutBytes(ctx, listName(name, digest), list); err != nil {
			return fail(err)
		}
		known = fleet.Batch{Version: fleet.Format, Name: name, State: fleet.BatchFilling, Tasks: len(tasks), Submitted: time.Now().UTC(), Limits: limits, Digest: digest}
		if revision, err = put(ctx, q.batches, name, known, 0); conflict(err) {
			return fail(errors.New("it is being submitted by somebody else at this moment: try again"))
		} else if err != nil {
			return fail(err)
		}
	}
	if err := q.publish(ctx, tasks); err != nil {
		return fail(err)
	}
	known.State = fleet.BatchOpen
	if _, err := put(ctx, q.batches, name, known, revision); err != nil && !conflict(err) {
		return fail(err)
	}
	return true, nil
}

func listName(batch, digest string) string { return batch + ".tasks." + digest }

// encodeTasks returns tasks as JSON lines with their SHA-256.
func encodeTasks(tasks []fleet.Task) ([]byte, string, error) {
	var list bytes.Buffer
	encoder := json.NewEncoder(&list)
	for _, t := range tasks {
		if err := encoder.Encode(t); err != nil {
			return nil, "", fmt.Errorf("encoding task %s: %w", t.ID, err)
		}
	}
	sum := sha256.Sum256(list.Bytes())
	return list.Bytes(), hex.EncodeToString(sum[:]), nil
}

// publish queues tasks. Tasks that are queued already stay as they are.
func (q *Queue) publish(ctx context.Context, tasks []fleet.Task) error {
	var futures []jetstream.PubAckFuture
	waitForAcks := func() error {
		for _, f := range futures {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				var api *jetstream.APIError
				if !errors.As(err, &api) || api.ErrorCode != jsMaxPerSubject {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		futures = futures[:0]
		return nil
	}
	for _, t := range tasks {
		data, err := json.Marshal(t)
		if err != nil {
			return err
		}
		f, err := q.js.PublishMsgAsync(&nats.Msg{Subject: taskSubject + t.Key(), Data: data})
		if err != nil {
			return err
		}
		if futures = append(futures, f); len(futures) == 200 {
			if err := waitForAcks(); err != nil {
				return err
			}
		}
	}
	return waitForAcks()
}

// Tasks returns the tasks of a batch, as they were submitted.
func (q *Queue) Tasks(ctx context.Context, b fleet.Batch) ([]fleet.Task, error) {
	if !fleet.IsSHA256(b.Digest) {
		return nil, fmt.Errorf("reading the tasks of batch %s: its record is damaged", b.Name)
	}
	data, err := q.objects.GetBytes(ctx, listName(b.Name, b.Digest))
	if err != nil {
		return nil, fmt.Errorf("reading the tasks of batch %s: %w", b.Name, explained(err))
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != b.Digest {
		return nil, fmt.Errorf("reading the tasks of batch %s: the list was changed: it does not have the hash of the batch", b.Name)
	}
	var out []fleet.Task
	for line := range bytes.Lines(data) {
		var t fleet.Task
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, fmt.Errorf("reading the tasks of batch %s: %w", b.Name, err)
		}
		if err := t.Check(); err != nil || t.Batch != b.Name {
			return nil, fmt.Errorf("reading the tasks of batch %s: task %q: %w", b.Name, t.ID, errors.Join(err, errForeign(t.Batch != b.Name)))
		}
		out = append(out, t)
	}
	return out, nil
}

func errForeign(is bool) error {
	if is {
		return errors.New("it belongs to another batch")
	}
	return nil
}
