package conversation

import (
	"context"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// settleTime is how long the end of an answer waits for the plugins that observe the stream, so that they have seen all of the answer
// before the next hook.
const settleTime = time.Second

// chunks passes the pieces of one answer to the plugins that observe the stream.
type chunks struct {
	// feed is nil if no plugin observes the stream.
	feed  *pipeline.Feed
	state sdk.Context
}

// chunks starts passing the pieces of an answer.
func (h *hooks) chunks(ctx context.Context) chunks {
	feed := pipeline.NewFeed(ctx, h.plugins(), hookpoint.StreamChunk, h.reporter(hookpoint.StreamChunk), func(n pipeline.Notice) {
		h.emit(event.Notice{Plugin: n.Handler, Text: n.Text})
	})
	if feed == nil {
		return chunks{}
	}
	return chunks{feed: feed, state: h.state()}
}

func (c chunks) add(chunk sdk.Chunk) {
	if c.feed != nil {
		c.feed.Add(sdk.StreamChunkContext{Context: c.state, Chunks: []sdk.Chunk{chunk}})
	}
}

// end passes the end of the answer and lets plugins catch up for a moment.
func (c chunks) end(ctx context.Context) {
	if c.feed == nil {
		return
	}
	c.add(sdk.Chunk{Finished: true})
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	c.feed.Drain(ctx)
}
