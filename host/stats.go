package host

import (
	"errors"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// callStats counts the calls and restarts of a plugin, across all its children.
type callStats struct {
	// mu guards all fields.
	mu       sync.Mutex
	restarts int
	lastExit string
	calls    int64
	errors   int64
	timeouts int64
	dropped  int64
	// times holds the durations of calls in microseconds. It is created at the first call.
	times *hdrhistogram.Histogram
}

// record counts a call. Calls that the user cancelled do not count as errors of the plugin.
func (s *callStats) record(took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.times == nil {
		s.times = hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 2)
	}
	// A call that takes more than an hour is counted as an hour.
	_ = s.times.RecordValue(min(max(1, took.Microseconds()), int64(time.Hour/time.Microsecond)))
	var e *Error
	if !errors.As(err, &e) {
		return
	}
	s.errors++
	if e.Kind == KindTimeout {
		s.timeouts++
	}
}

// exited records why the last child ended or did not start.
func (s *callStats) exited(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastExit = why
}

// restarted counts a restart.
func (s *callStats) restarted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restarts++
}

// droppedInputs counts inputs that the plugin did not receive because it was too slow.
func (s *callStats) droppedInputs(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped += int64(n)
}

// fill copies the statistics into a plugin's health.
func (s *callStats) fill(h *Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.Restarts, h.LastExit, h.ChunksDropped = s.restarts, s.lastExit, s.dropped
	h.Calls, h.Errors, h.Timeouts = s.calls, s.errors, s.timeouts
	if s.times != nil {
		h.P50, h.P99 = s.times.ValueAtQuantile(50), s.times.ValueAtQuantile(99)
	}
}
