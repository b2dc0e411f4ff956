package queue_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
)

const token = "a token of the tests"

// start starts a server and returns how to reach it.
func start(t *testing.T) queue.Options {
	t.Helper()
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), User: "aura", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return queue.Options{URL: s.URL(), User: "aura", Token: token, Pins: []string{s.Pin()}}
}

func open(t *testing.T, o queue.Options) *queue.Queue {
	t.Helper()
	q, err := queue.Create(t.Context(), o, queue.Shape{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func tasks(batch string, n int) []fleet.Task {
	var out []fleet.Task
	for i := range n {
		out = append(out, fleet.Task{Version: fleet.Format, Batch: batch, ID: fmt.Sprintf("t%d", i), Prompts: []string{"do it"}})
	}
	return out
}

func submit(t *testing.T, q *queue.Queue, batch string, n int) {
	t.Helper()
	if _, err := q.Submit(t.Context(), batch, fleet.Limits{}, tasks(batch, n)); err != nil {
		t.Fatal(err)
	}
}

// next takes the next task and claims it.
func next(t *testing.T, q *queue.Queue, worker string) *queue.Claim {
	t.Helper()
	for {
		o, err := q.Next(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if o == nil {
			continue
		}
		b, settled, err := o.Settled(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if settled {
			continue
		}
		c, err := o.Claim(t.Context(), worker, b)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func TestSubmitTwiceIsOneBatch(t *testing.T) {
	t.Parallel()
	q := open(t, start(t))
	for i, want := range []bool{true, false} {
		if fresh, err := q.Submit(t.Context(), "b", fleet.Limits{}, tasks("b", 50)); err != nil || fresh != want {
			t.Errorf("submission %d: fresh %v, %v", i+1, fresh, err)
		}
	}
	if n, err := q.Waiting(t.Context()); err != nil || n != 50 {
		t.Errorf("%d tasks wait, %v", n, err)
	}
	if _, err := q.Submit(t.Context(), "b", fleet.Limits{}, tasks("b", 51)); err == nil || !strings.Contains(err.Error(), "another batch of this name") {
		t.Errorf("another batch of the name: %v", err)
	}
	b, err := q.Batch(t.Context(), "b")
	if err != nil || b.State != fleet.BatchOpen || b.Tasks != 50 {
		t.Errorf("got %+v, %v", b, err)
	}
	list, err := q.Tasks(t.Context(), b)
	if err != nil || len(list) != 50 || list[7].ID != "t7" {
		t.Errorf("got %d tasks, %v", len(list), err)
	}
}

// TestOneResult lets many workers finish one task at once. One of them stores its result.
func TestOneResult(t *testing.T) {
	t.Parallel()
	q := open(t, start(t))
	submit(t, q, "b", 1)
	c := next(t, q, "w")
	var stored atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			mine := *c
			err := mine.Finish(t.Context(), fleet.Result{Status: fleet.StatusDone, Final: fmt.Sprint(i)})
			switch {
			case err == nil:
				stored.Add(1)
			case !errors.Is(err, queue.ErrLost):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if stored.Load() != 1 {
		t.Errorf("%d results were stored", stored.Load())
	}
}

// TestLostTask shows that a worker that lost a task cannot change its record, and that a worker's end is counted.
func TestLostTask(t *testing.T) {
	t.Parallel()
	q := open(t, start(t))
	submit(t, q, "b", 1)
	o, err := q.Next(t.Context(), 5*time.Second)
	if err != nil || o == nil {
		t.Fatal(o, err)
	}
	b, _, err := o.Settled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := o.Claim(t.Context(), "first", b)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Checkpoint(t.Context(), fleet.Checkpoint{Session: "s", Done: 1}); err != nil {
		t.Fatal(err)
	}
	second, err := o.Claim(t.Context(), "second", b)
	if err != nil {
		t.Fatal(err)
	}
	if p := second.Progress; p.Attempt != 2 || p.Deaths != 1 || p.Checkpoint == nil || p.Checkpoint.Done != 1 {
		t.Errorf("got %+v", p)
	}
	if err := first.Checkpoint(t.Context(), fleet.Checkpoint{Session: "s", Done: 2}); !errors.Is(err, queue.ErrLost) {
		t.Errorf("the first worker writes: %v", err)
	}
	if err := first.Finish(t.Context(), fleet.Result{Status: fleet.StatusDone, Final: "late"}); !errors.Is(err, queue.ErrLost) {
		t.Errorf("the first worker stores a result: %v", err)
	}
	if _, stored, err := q.Result(t.Context(), "b", "t0"); err != nil || stored {
		t.Errorf("there is a result: %t, %v", stored, err)
	}
	if err := second.Return(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	third := next(t, q, "third")
	if third.Progress.Deaths != 1 {
		t.Errorf("a task that was handed back counts as a death: %+v", third.Progress)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	o := start(t)
	open(t, o)
	for name, wrong := range map[string]queue.Options{"none": {URL: o.URL, Pins: o.Pins}, "wrong": {URL: o.URL, Pins: o.Pins, User: "aura", Token: "guess"}} {
		if _, err := queue.Open(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "refused the credentials") || strings.Contains(err.Error(), "guess") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := queue.Open(t.Context(), queue.Options{URL: "nats://127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), "is `aura fleet serve` running?") {
		t.Errorf("no server: %v", err)
	}
}

// raw returns a connection that writes what it likes.
func raw(t *testing.T, o queue.Options) jetstream.JetStream {
	t.Helper()
	config := &tls.Config{MinVersion: tls.VersionTLS13}
	queue.VerifyPins(config, o.Pins)
	nc, err := nats.Connect(o.URL, nats.UserInfo(o.User, o.Token), nats.Secure(config))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestVersions checks an old worker with a new queue, and the reverse.
func TestVersions(t *testing.T) {
	t.Parallel()
	o := start(t)
	if _, err := queue.Open(t.Context(), o); !errors.Is(err, queue.ErrEmpty) {
		t.Errorf("no queue: %v", err)
	}
	q := open(t, o)
	js := raw(t, o)
	kv, err := js.KeyValue(t.Context(), "aura-fleet")
	if err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		`{"format":2}`: "update aura on this machine", `{"format":0}`: "no queue of aura", `x`: "no queue of aura",
	} {
		if _, err := kv.Put(t.Context(), "format", []byte(format)); err != nil {
			t.Fatal(err)
		}
		if _, err := queue.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", format, err)
		}
	}
	// A single task of a newer aura.
	task := tasks("b", 1)[0]
	task.Version = fleet.NetworkFormat + 1
	data, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "aura.task.b.t0", data); err != nil {
		t.Fatal(err)
	}
	got, err := q.Next(t.Context(), 5*time.Second)
	if err != nil || got == nil {
		t.Fatal(got, err)
	}
	if _, newer := errors.AsType[*fleet.VersionError](got.Fault); !newer {
		t.Errorf("got %v", got.Fault)
	}
}

// TestHostileTask checks tasks that somebody else wrote into the queue.
func TestHostileTask(t *testing.T) {
	t.Parallel()
	o := start(t)
	q := open(t, o)
	js := raw(t, o)
	for name, data := range map[string]string{
		"noise":       `{{{`,
		"other-name":  `{"v":1,"batch":"b","id":"x","prompts":["p"]}`,
		"path":        `{"v":1,"batch":"b","id":"../../x","prompts":["p"]}`,
		"helper":      `{"v":1,"batch":"b","id":"helper","prompts":["p"],"workspace":{"git":"ext::sh"}}`,
		"no-prompt":   `{"v":1,"batch":"b","id":"no-prompt"}`,
		"other-batch": `{"v":1,"batch":"c","id":"other-batch","prompts":["p"]}`,
	} {
		if _, err := js.Publish(t.Context(), "aura.task.b."+name, []byte(data)); err != nil {
			t.Fatal(err)
		}
		got, err := q.Next(t.Context(), 5*time.Second)
		if err != nil || got == nil {
			t.Fatal(got, err)
		}
		if got.Fault == nil || got.ID != name || got.Batch != "b" {
			t.Errorf("%s: %v, task %s of batch %s", name, got.Fault, got.ID, got.Batch)
		}
		if err := got.Refuse(t.Context(), fleet.Result{Status: fleet.StatusFailed}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTampered checks that a result that somebody changed is reported and never returned.
func TestTampered(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.SealKey = []byte("key")
	q := open(t, o)
	submit(t, q, "b", 3)
	js := raw(t, o)
	kv, err := js.KeyValue(t.Context(), "aura-results")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c := next(t, q, "w")
		blob, err := q.PutFile(t.Context(), c.Key()+".x", []byte("content of "+c.ID), 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Finish(t.Context(), fleet.Result{Status: fleet.StatusDone, Final: "true", Files: []fleet.File{{Path: "x", Blob: blob}}}); err != nil {
			t.Fatal(err)
		}
	}
	entry, err := kv.Get(t.Context(), "b.t1")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(entry.Value()), `"final":"true"`, `"final":"lie"`, 1)
	if _, err := kv.Put(t.Context(), "b.t1", []byte(changed)); err != nil {
		t.Fatal(err)
	}
	// A result of another task, with a correct seal, and an object with another content.
	other, err := kv.Get(t.Context(), "b.t0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), "b.t2", other.Value()); err != nil {
		t.Fatal(err)
	}
	store, err := js.ObjectStore(t.Context(), "aura-objects")
	if err != nil {
		t.Fatal(err)
	}
	var good []string
	bad, err := q.Results(t.Context(), "b", func(r fleet.Result) error {
		good = append(good, r.Task)
		if _, err := store.PutBytes(t.Context(), r.Files[0].Blob.Object, []byte("other")); err != nil {
			return err
		}
		if _, err := q.Blob(t.Context(), r.Files[0].Blob); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a changed file: %v", err)
		}
		return nil
	})
	if err != nil || len(good) != 1 || good[0] != "t0" || len(bad) != 2 {
		t.Errorf("good %v, bad %v, %v", good, bad, err)
	}
	o.SealKey = []byte("another")
	if _, _, err := open(t, o).Result(t.Context(), "b", "t0"); err == nil {
		t.Error("a result with the seal of another key is accepted")
	}
}
