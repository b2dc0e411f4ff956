package conversation

import (
	"context"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/sdk"
)

// rescue is what has been tried to make a request fit that was too long for the model.
type rescue struct {
	tried int
	// refused is set if plugins do not let the history be compacted.
	refused bool
	keep    int
}

// maxRescues is how often the history is compacted for one request.
const maxRescues = 3

// shrink compacts the history if that may mend a failure, keeping fewer messages each time. It reports whether the call is
// worth another try.
func (c *Conversation) shrink(ctx context.Context, r *rescue, failure error) bool {
	if classOf(failure) != sdk.ErrorTypeContextExhausted || r.refused {
		return false
	}
	if r.tried == 0 {
		r.keep = c.keep()
		if !c.shorten(r) {
			return false
		}
		r.refused = !c.announce(ctx, false, r.keep)
	}
	if r.refused || r.tried == maxRescues || !c.shorten(r) {
		return false
	}
	err := c.compact(ctx, event.TriggerRecovery, r.keep)
	r.tried++
	r.keep /= 3
	return err == nil
}

// shorten lowers the number of messages to keep until there is something to compact, and reports whether there is.
func (c *Conversation) shorten(r *rescue) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; r.keep > 0; r.keep /= 3 {
		if c.history.compactable(r.keep) {
			return true
		}
	}
	// A prompt alone that is too long is not made better by a summary.
	return c.history.compactable(0) && len(c.history.entries) > 1
}
