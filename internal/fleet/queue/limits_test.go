package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	q := open(t, start(t))
	ctx := t.Context()
	b := fleet.Batch{Name: "b", Limits: fleet.Limits{Parallel: map[string]int{"p": 2}}}
	all := fleet.Limits{Parallel: map[string]int{"*": 3}}
	var held []*queue.Slots
	for i, want := range []bool{true, true, false} {
		s, err := q.Occupy(ctx, b, all, "p", "w")
		if err != nil || (s != nil) != want {
			t.Fatalf("place %d: %v, %v", i, s, err)
		}
		held = append(held, s)
	}
	// The fleet has one place left for other batches.
	other, err := q.Occupy(ctx, fleet.Batch{Name: "c"}, all, "p", "w")
	if err != nil || other == nil {
		t.Fatal(other, err)
	}
	if s, err := q.Occupy(ctx, fleet.Batch{Name: "c"}, all, "p", "w"); err != nil || s != nil {
		t.Errorf("a fourth place: %v, %v", s, err)
	}
	if s, err := q.Occupy(ctx, b, all, "q", "w"); err != nil || s == nil {
		t.Errorf("another provider: %v, %v", s, err)
	}
	held[0].Free(ctx)
	if s, err := q.Occupy(ctx, b, all, "p", "w"); err != nil || s == nil {
		t.Errorf("a place that was given back: %v, %v", s, err)
	}
}

// TestSpent ends ten tasks at once. What each of them used is counted once.
func TestSpent(t *testing.T) {
	t.Parallel()
	q := open(t, start(t))
	if _, err := q.Submit(t.Context(), "b", fleet.Limits{Tokens: 100}, tasks("b", 10)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 10 {
		c := next(t, q, "w")
		wg.Go(func() {
			if err := c.Finish(t.Context(), fleet.Result{Status: fleet.StatusDone, Spent: fleet.Spent{Tokens: 3, CostUSD: 0.5}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s, err := q.Spent(t.Context(), "b"); err != nil || s.Tokens != 30 || s.CostUSD != 5 {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestSlowDown checks that all who hit a limit together slow the fleet down once, for all workers.
func TestSlowDown(t *testing.T) {
	t.Parallel()
	o := start(t)
	q, other := open(t, o), open(t, o)
	for range 5 {
		if err := q.SlowDown(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
	}
	d, err := other.Slowed(t.Context(), "p")
	if err != nil || d <= 0 || d > 2*time.Second {
		t.Errorf("another worker waits for %s, %v", d, err)
	}
	if d, err := other.Slowed(t.Context(), "q"); err != nil || d > 0 {
		t.Errorf("another provider waits for %s, %v", d, err)
	}
}

func TestCancelRetryRemove(t *testing.T) {
	t.Parallel()
	o := start(t)
	q := open(t, o)
	ctx := t.Context()
	submit(t, q, "b", 4)
	submit(t, q, "bb", 1)
	c := next(t, q, "w")
	if err := c.Finish(ctx, fleet.Result{Status: fleet.StatusDone}); err != nil {
		t.Fatal(err)
	}
	running := next(t, q, "w")
	canceled := make(chan string, 10)
	stop, err := q.Cancels(func(batch, task string) { canceled <- batch + "." + task })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if n, err := q.Cancel(ctx, "b", []string{running.ID}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if got := <-canceled; got != running.Key() {
		t.Errorf("%s was canceled", got)
	}
	if err := running.Alive(ctx); !errors.Is(err, queue.ErrLost) {
		t.Errorf("a canceled task is alive: %v", err)
	}
	if err := running.Finish(ctx, fleet.Result{Status: fleet.StatusDone}); !errors.Is(err, queue.ErrLost) {
		t.Errorf("a canceled task has another result: %v", err)
	}
	if _, err := q.Cancel(ctx, "b", []string{"nobody"}); err == nil || !strings.Contains(err.Error(), `no task "nobody"`) {
		t.Errorf("got %v", err)
	}
	if n, err := q.Cancel(ctx, "b", nil); err != nil || n != 2 {
		t.Errorf("%d canceled, %v", n, err)
	}
	if n, err := q.Retry(ctx, "b", nil, nil); err != nil || n != 3 {
		t.Errorf("%d queued again, %v", n, err)
	}
	b, err := q.Batch(ctx, "b")
	if err != nil || b.State != fleet.BatchOpen {
		t.Errorf("got %+v, %v", b, err)
	}
	if n, err := q.Waiting(ctx); err != nil || n != 4 {
		t.Errorf("%d tasks wait, %v", n, err)
	}
	if err := q.Remove(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if n, err := q.Waiting(ctx); err != nil || n != 1 {
		t.Errorf("%d tasks wait, %v; that of the other batch is left", n, err)
	}
	if _, err := q.Batch(ctx, "b"); err == nil {
		t.Error("the batch is still there")
	}
	if fresh, err := q.Submit(ctx, "b", fleet.Limits{}, tasks("b", 2)); err != nil || !fresh {
		t.Errorf("a batch of the same name: %v, %v", fresh, err)
	}
}

// TestRestart checks that everything acknowledged is there after the server was ended at once.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := server.Options{Listen: "127.0.0.1:0", Dir: dir, User: "aura", Token: token}
	s, err := server.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	q := open(t, queue.Options{URL: s.URL(), User: "aura", Token: token, Pins: []string{s.Pin()}})
	submit(t, q, "b", 20)
	c := next(t, q, "w")
	if err := c.Finish(t.Context(), fleet.Result{Status: fleet.StatusDone}); err != nil {
		t.Fatal(err)
	}
	o.Listen = strings.TrimPrefix(s.URL(), "tls://")
	s.Stop()
	again, err := server.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Stop)
	// The same connection works again.
	var r fleet.Result
	found := false
	for !found && t.Context().Err() == nil {
		if r, found, err = q.Result(t.Context(), "b", c.ID); err != nil {
			continue
		}
	}
	if r.Task != c.ID {
		t.Errorf("got %+v, %v", r, err)
	}
	next(t, q, "w")
}

// TestBlob checks data of all sizes.
func TestBlob(t *testing.T) {
	t.Parallel()
	q := open(t, start(t))
	for _, size := range []int{0, 1, 1000, 1 << 20} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * i >> 3)
		}
		b, err := q.PutBlob(t.Context(), fmt.Sprintf("b.%d", size), data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Blob(t.Context(), b)
		if err != nil || string(got) != string(data) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := q.PutBlob(t.Context(), "large", make([]byte, fleet.MaxBlob+1)); err == nil {
		t.Error("data beyond the limit is stored")
	}
	// A small record that claims to unpack to much.
	if _, err := q.Blob(t.Context(), fleet.Blob{Size: 1 << 40}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("got %v", err)
	}
}
