package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// viewer observes a stream. Each call sends to entered and waits for a value of step, unless they are nil.
type viewer struct {
	name          string
	step, entered chan struct{}
	fail          error

	mu      sync.Mutex
	text    []string
	missed  int
	dropped int
}

func (v *viewer) Name() string { return v.name }

func (v *viewer) Handle(ctx context.Context, _ hookpoint.Name, in any) (any, error) {
	if v.entered != nil {
		v.entered <- struct{}{}
	}
	if v.step != nil {
		select {
		case <-v.step:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c, _ := in.(sdk.StreamChunkContext)
	v.mu.Lock()
	defer v.mu.Unlock()
	var batch strings.Builder
	for _, chunk := range c.Chunks {
		batch.WriteString(chunk.Text)
		if chunk.Finished {
			batch.WriteString(".")
		}
	}
	v.text = append(v.text, batch.String())
	v.missed += c.Dropped
	return sdk.Result{Notice: "saw " + batch.String(), Message: "is ignored"}, v.fail
}

func (v *viewer) Dropped(_ hookpoint.Name, inputs int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropped += inputs
}

func (v *viewer) seen() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(v.text, "")
}

type viewers []*viewer

func (l viewers) Handlers(hookpoint.Name) []pipeline.Handler {
	var out []pipeline.Handler
	for _, v := range l {
		out = append(out, v)
	}
	return out
}

func chunk(text string) sdk.StreamChunkContext {
	return sdk.StreamChunkContext{Chunks: []sdk.Chunk{{Text: text}}}
}

// TestFeed checks that each handler gets everything in order, however slow another one is, and that failures and notices are reported.
func TestFeed(t *testing.T) {
	t.Parallel()
	slow := &viewer{name: "slow", step: make(chan struct{})}
	all := viewers{{name: "quick"}, slow, {name: "failing", fail: errors.New("no")}}
	var mu sync.Mutex
	var told []string
	tell := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, text)
	}
	f := pipeline.NewFeed(t.Context(), all, hookpoint.StreamChunk, func(r pipeline.Report) {
		for _, err := range r.Errs {
			tell(r.Handler + ": " + err.Error())
		}
	},
		func(n pipeline.Notice) { tell(n.Handler + " notes") })
	for _, text := range []string{"a", "b", "c"} {
		f.Add(chunk(text))
	}
	f.Add(sdk.StreamChunkContext{Chunks: []sdk.Chunk{{Finished: true}}})
	close(slow.step)
	f.Drain(t.Context())
	for _, v := range all {
		if got := v.seen(); got != "abc." {
			t.Errorf("%s saw %q", v.name, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"failing: no", "quick notes", "slow notes"} {
		if !slices.Contains(told, want) {
			t.Errorf("not told %q: %q", want, told)
		}
	}
	if pipeline.NewFeed(t.Context(), viewers{}, hookpoint.StreamChunk, nil, nil) != nil {
		t.Error("a feed to nobody is not nil")
	}
}

// TestFeedDrops checks that chunks beyond the limit are dropped and counted, but not the end of the answer.
func TestFeedDrops(t *testing.T) {
	t.Parallel()
	slow := &viewer{name: "slow", step: make(chan struct{})}
	f := pipeline.NewFeed(t.Context(), viewers{slow}, hookpoint.StreamChunk, nil, func(pipeline.Notice) {})
	f.Add(chunk("first"))
	slow.step <- struct{}{} // the first call has what came before it and no more
	const all = 3000
	for range all {
		f.Add(chunk("x"))
	}
	f.Add(sdk.StreamChunkContext{Chunks: []sdk.Chunk{{Finished: true}}})
	close(slow.step)
	f.Drain(t.Context())
	got := slow.seen()
	if !strings.HasPrefix(got, "first") || !strings.HasSuffix(got, ".") {
		t.Errorf("saw %.20q…", got)
	}
	saw := strings.Count(got, "x")
	if slow.dropped == 0 || slow.missed != slow.dropped || saw+slow.dropped != all {
		t.Errorf("saw %d of %d, and %d (%d) were dropped", saw, all, slow.dropped, slow.missed)
	}
}

// TestFeedGivesUp checks that Settle does not wait longer than its context, that the handler is not called any more then, and that
// the chunks that waited are counted.
func TestFeedGivesUp(t *testing.T) {
	t.Parallel()
	stuck := &viewer{name: "stuck", step: make(chan struct{}), entered: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	f := pipeline.NewFeed(ctx, viewers{stuck}, hookpoint.StreamChunk, nil, func(pipeline.Notice) {})
	f.Add(chunk("a"))
	<-stuck.entered
	f.Add(chunk("b"))
	f.Add(chunk("c"))
	patience, giveUp := context.WithCancel(t.Context())
	giveUp()
	f.Drain(patience)
	cancel()
	f.Drain(t.Context())
	if got := stuck.seen(); got != "" {
		t.Errorf("saw %q", got)
	}
	if stuck.dropped != 2 {
		t.Errorf("%d chunks were counted as dropped, want 2", stuck.dropped)
	}
}
