package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// ErrLost means that another worker has the task by now, or that it was canceled.
var ErrLost = errors.New("another worker took the task over, or it was canceled")

// Claim is a task that this worker may run. Exactly one of Finish, Return and Drop ends it.
type Claim struct {
	fleet.Task

	Batch fleet.Batch
	// Progress is the record of the task. Only this worker changes it.
	Progress fleet.Progress

	q        *Queue
	msg      jetstream.Msg
	revision uint64
}

// Offer is a task that was delivered, before it is claimed.
type Offer struct {
	fleet.Task

	// Fault is why the task cannot be read; nil if it can be.
	Fault error
	q     *Queue
	msg   jetstream.Msg
}

// Next waits for a task, at most for the given time or until ctx ends. It returns nil if there was none.
func (q *Queue) Next(ctx context.Context, wait time.Duration) (*Offer, error) {
	consumer, err := q.taking(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking for a task: %w", explained(err))
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	batch, err := consumer.Fetch(1, jetstream.FetchContext(limited))
	if err != nil {
		return nil, fmt.Errorf("asking for a task: %w", explained(err))
	}
	for msg := range batch.Messages() {
		return q.offer(msg), nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && limited.Err() == nil {
		return nil, fmt.Errorf("asking for a task: %w", explained(err))
	}
	return nil, nil
}

// taking returns the consumer from which all workers take tasks.
func (q *Queue) taking(ctx context.Context) (jetstream.Consumer, error) {
	q.once.Lock()
	defer q.once.Unlock()
	if q.consumer != nil {
		return q.consumer, nil
	}
	consumer, err := q.js.Consumer(ctx, tasksStream, consumerName)
	if err == nil {
		q.consumer = consumer
	}
	return consumer, err
}

// Heartbeat returns the time between two heartbeats of a worker.
func (q *Queue) Heartbeat() time.Duration {
	q.once.Lock()
	defer q.once.Unlock()
	if q.consumer == nil {
		return Takeover / beats
	}
	return max(q.consumer.CachedInfo().Config.AckWait/beats, minBeat)
}

// offer reads a delivered task. A task that cannot be read is named by its subject.
func (q *Queue) offer(msg jetstream.Msg) *Offer {
	o := &Offer{q: q, msg: msg}
	batch, id, _ := strings.Cut(strings.TrimPrefix(msg.Subject(), taskSubject), ".")
	o.Fault = json.Unmarshal(msg.Data(), &o.Task)
	if o.Fault == nil {
		o.Fault = o.Check()
	}
	if o.Fault == nil && (o.Batch != batch || o.ID != id) {
		o.Fault = errors.New("its name is not the one under which it was queued")
	}
	if o.Fault != nil {
		o.Task = fleet.Task{Batch: batch, ID: id}
	}
	return o
}

// Later puts the task back. Nobody gets it before the delay is over.
func (o *Offer) Later(delay time.Duration) error { return o.msg.NakWithDelay(delay) }

// Alive reports that the task is still in this worker's hands.
func (o *Offer) Alive() error { return o.msg.InProgress() }

// Settled returns true if the task needs no work: it has a result, its batch is gone, or was canceled. It is then off the queue.
func (o *Offer) Settled(ctx context.Context) (fleet.Batch, bool, error) {
	b, _, err := get[fleet.Batch](ctx, o.q.batches, o.Batch)
	switch {
	case errors.Is(err, errNone):
		return b, true, o.msg.DoubleAck(ctx)
	case err != nil:
		return b, false, err
	}
	r, _, err := get[fleet.Result](ctx, o.q.results, o.Key())
	switch {
	case err == nil:
		if err := o.q.takeEnd(ctx, r, b); err != nil {
			return b, false, err
		}
		return b, true, o.msg.DoubleAck(ctx)
	case !errors.Is(err, errNone):
		return b, false, err
	case b.State == fleet.BatchCanceled:
		return b, true, o.Refuse(ctx, fleet.Result{Status: fleet.StatusCanceled, Error: "the batch was canceled"})
	}
	return b, false, b.Check()
}

// Refuse stores a result for a task that is not run.
func (o *Offer) Refuse(ctx context.Context, r fleet.Result) error {
	r.Batch, r.Task = o.Batch, o.ID
	now := time.Now().UTC()
	r.Started, r.Ended = now, now
	if _, err := o.q.commit(ctx, r); err != nil {
		return err
	}
	return o.msg.DoubleAck(ctx)
}

// Claim makes this worker the owner of the task. A task that was running elsewhere lost its worker.
func (o *Offer) Claim(ctx context.Context, worker string, b fleet.Batch) (*Claim, error) {
	c := &Claim{Task: o.Task, Batch: b, q: o.q, msg: o.msg}
	p, revision, err := get[fleet.Progress](ctx, o.q.progress, o.Key())
	if err != nil && !errors.Is(err, errNone) {
		return nil, err
	}
	if p.Version > fleet.Format {
		return nil, &fleet.VersionError{What: "the record of task " + o.ID, Has: p.Version}
	}
	if err == nil && !p.Genuine(o.Key(), o.q.seal) {
		// Somebody else wrote it. The task begins again.
		p = fleet.Progress{Attempt: max(p.Attempt, 0)}
	}
	if p.Running {
		p.Deaths++
	}
	p.Version, p.Attempt, p.Worker, p.Started, p.Running = fleet.Format, p.Attempt+1, worker, time.Now().UTC(), true
	c.Progress = p
	if c.revision, err = o.q.putProgress(ctx, o.Key(), p, revision); conflict(err) {
		return nil, ErrLost
	}
	return c, err
}

// putProgress writes the record of a task with its seal.
func (q *Queue) putProgress(ctx context.Context, key string, p fleet.Progress, revision uint64) (uint64, error) {
	p, err := fleet.SealProgress(p, key, q.seal)
	if err != nil {
		return 0, err
	}
	return put(ctx, q.progress, key, p, revision)
}

// Alive reports that the task is being worked on. It returns ErrLost if the task has a result by now.
func (c *Claim) Alive(ctx context.Context) error {
	if err := c.msg.InProgress(); err != nil {
		return err
	}
	if _, _, err := get[fleet.Result](ctx, c.q.results, c.Key()); err == nil {
		return ErrLost
	}
	return nil
}

// Save writes the record of the task. It returns ErrLost if another worker changed it.
func (c *Claim) Save(ctx context.Context) error {
	var revision uint64
	err := persist(ctx, conflict, func(ctx context.Context) error {
		var err error
		revision, err = c.q.putProgress(ctx, c.Key(), c.Progress, c.revision)
		return err
	})
	if conflict(err) {
		// A write whose answer was lost looks like the write of somebody else.
		p, now, again := get[fleet.Progress](ctx, c.q.progress, c.Key())
		if again != nil || p.Worker != c.Progress.Worker || p.Attempt != c.Progress.Attempt {
			return ErrLost
		}
		c.revision = now
		return nil
	}
	if err == nil {
		c.revision = revision
	}
	return err
}

// Checkpoint replaces the checkpoint of the task.
func (c *Claim) Checkpoint(ctx context.Context, next fleet.Checkpoint) error {
	before := c.Progress.Checkpoint
	c.Progress.Checkpoint = &next
	if err := c.Save(ctx); err != nil {
		c.Progress.Checkpoint = before
		return err
	}
	if before != nil {
		for _, old := range []fleet.Blob{before.Journal, before.Patch} {
			if old.Object != next.Journal.Object && old.Object != next.Patch.Object {
				c.q.dropBlob(ctx, old)
			}
		}
	}
	return nil
}

// Return hands the task back, so that another worker continues it after the delay.
func (c *Claim) Return(ctx context.Context, delay time.Duration) error {
	c.Progress.Running = false
	if err := c.Save(ctx); err != nil {
		return err
	}
	return c.msg.NakWithDelay(delay)
}

// holds returns ErrLost if another worker has the task by now. A worker that was stopped for a while may not know it. Nor does it know
// the last record that it wrote, if it did not wait for the answer.
func (c *Claim) holds(ctx context.Context) error {
	return persist(ctx, func(err error) bool { return errors.Is(err, ErrLost) }, func(ctx context.Context) error {
		p, revision, err := get[fleet.Progress](ctx, c.q.progress, c.Key())
		if errors.Is(err, errNone) || err == nil && (p.Worker != c.Progress.Worker || p.Attempt != c.Progress.Attempt) {
			return ErrLost
		}
		if err == nil {
			c.Progress.Checkpoint, c.revision = p.Checkpoint, revision
		}
		return err
	})
}

// Finish stores the result of the task. It returns ErrLost if another worker has the task, or if it has another result; nothing is stored
// then.
func (c *Claim) Finish(ctx context.Context, r fleet.Result) error {
	r.Batch, r.Task, r.Worker, r.Attempt, r.Deaths = c.Task.Batch, c.ID, c.Progress.Worker, c.Progress.Attempt, c.Progress.Deaths
	if err := c.holds(ctx); err != nil {
		return err
	}
	r, err := c.q.commit(ctx, r)
	if err != nil {
		return err
	}
	if err := c.q.end(ctx, r, c.Batch, c.Progress, c.revision); err != nil {
		return err
	}
	_ = c.msg.Ack()
	return nil
}

// Drop gives the task up without a trace: somebody else has it.
func (c *Claim) Drop() {}

// commit stores a result if the task has none. It returns the result as it is stored.
func (q *Queue) commit(ctx context.Context, r fleet.Result) (fleet.Result, error) {
	r.Version = fleet.Format
	r, err := r.Sealed(q.seal)
	if err != nil {
		return r, err
	}
	err = persist(ctx, conflict, func(ctx context.Context) error {
		_, err := put(ctx, q.results, r.Key(), r, 0)
		return err
	})
	if conflict(err) {
		// The answer to the first attempt may have been lost.
		if stored, _, again := get[fleet.Result](ctx, q.results, r.Key()); again == nil && stored.Seal == r.Seal {
			return r, nil
		}
		return r, ErrLost
	}
	return r, err
}

// Cancels calls f with the key of each task that is canceled, until the returned function is called. A message can get lost; Alive
// notices a canceled task too.
func (q *Queue) Cancels(f func(batch, task string)) (stop func(), err error) {
	s, err := q.nc.Subscribe(cancelSubject+"*.*", func(m *nats.Msg) {
		batch, task, _ := strings.Cut(strings.TrimPrefix(m.Subject, cancelSubject), ".")
		f(batch, task)
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = s.Unsubscribe() }, nil
}

// LastEvents returns the last events that were added to the log of a task; nil if there are none.
func (q *Queue) LastEvents(ctx context.Context, key string) []byte {
	stream, err := q.js.Stream(ctx, eventsStream)
	if err != nil {
		return nil
	}
	last, err := stream.GetLastMsgForSubject(ctx, eventSubject+key)
	if err != nil {
		return nil
	}
	return last.Data
}

// Publish adds events of a task to its log. Events may get lost; the journal of the result has what matters.
func (q *Queue) Publish(key string, events []byte) {
	if len(events) > 0 && len(events) < maxMessage {
		_ = q.nc.Publish(eventSubject+key, events)
	}
}
