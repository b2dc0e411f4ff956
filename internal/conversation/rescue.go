package conversation

import (
	"context"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/sdk"
)

// rescue records the attempts to shorten a request that was too long for the model.
type rescue struct {
	tried int
	// refused is set if plugins do not permit the compaction.
	refused bool
	keep    int
}

// maxRescues is how many times the history is compacted for one request.
const maxRescues = 3

// shrink compacts the history if that may fix the failure, keeping fewer messages each time. It reports whether the call should
// be repeated.
func (c *Conversation) shrink(ctx context.Context, r *rescue, failure error) bool {
	if classOf(failure) != sdk.ErrorTypeContextExhausted || r.refused || c.mostlyFiles() {
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

// mostlyFiles reports whether most of the request consists of files that the model has not seen yet. A summary of the rest does
// not help then.
func (c *Conversation) mostlyFiles() bool {
	return 2*c.transcript.unseenFiles() > c.window.tokens().Estimate
}

// shorten lowers the number of messages to keep until the history can be compacted. It reports whether that is possible.
func (c *Conversation) shorten(r *rescue) bool {
	var ok bool
	r.keep, ok = c.transcript.shorten(r.keep)
	return ok
}
