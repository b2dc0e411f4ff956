package conversation

import (
	"context"

	"github.com/idelchi/aura/internal/agent/conversation/event"
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

// rescue compacts the history if that may fix the failure, keeping fewer messages each time. It reports whether the call should
// be repeated.
func (s *shortener) rescue(ctx context.Context, r *rescue, failure error) bool {
	if classOf(failure) != sdk.ErrorTypeContextExhausted || r.refused || s.mostlyFiles() {
		return false
	}
	if r.tried == 0 {
		r.keep = s.keptMessages()
		if !r.shorten(s.transcript) {
			return false
		}
		r.refused = !s.announce(ctx, false, r.keep)
	}
	if r.refused || r.tried == maxRescues || !r.shorten(s.transcript) {
		return false
	}
	err := s.compact(ctx, event.TriggerRecovery, r.keep)
	r.tried++
	r.keep /= 3
	return err == nil
}

// mostlyFiles reports whether most of the request consists of files that the model has not seen yet. A summary of the rest does
// not help then.
func (s *shortener) mostlyFiles() bool {
	return 2*s.transcript.unseenFiles() > s.window.tokens().Estimate
}

// shorten lowers the number of messages to keep until the history can be compacted. It reports whether that is possible.
func (r *rescue) shorten(t *transcript) (ok bool) {
	r.keep, ok = t.shorten(r.keep)
	return ok
}
