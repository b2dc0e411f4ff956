package host

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/idelchi/aura/internal/process"
	"github.com/idelchi/aura/internal/sandbox"
)

// stats counts what happened to a plugin over all its children. The supervisor guards it.
type stats struct {
	restarts int
	lastExit string
	calls    int64
	errors   int64
	timeouts int64
	// times holds the duration of calls in microseconds. It is made at the first call.
	times *hdrhistogram.Histogram
}

// record counts a call. Calls cancelled by the user are no errors of the plugin.
func (s *supervisor) record(took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.calls++
	if s.stats.times == nil {
		s.stats.times = hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 2)
	}
	// A call of more than an hour is counted as an hour.
	_ = s.stats.times.RecordValue(min(max(1, took.Microseconds()), int64(time.Hour/time.Microsecond)))
	var e *Error
	if !errors.As(err, &e) {
		return
	}
	s.stats.errors++
	if e.Kind == KindTimeout {
		s.stats.timeouts++
	}
}

// Health is how one plugin of one session is.
type Health struct {
	Session string `json:"session"`
	// Pid is the child's process number as aura sees it; 0 if there is none.
	Pid         int     `json:"pid"`
	State       State   `json:"state"`
	Uptime      float64 `json:"uptime_s"`
	Restarts    int     `json:"restarts"`
	LastExit    string  `json:"last_exit"`
	Calls       int64   `json:"calls"`
	Errors      int64   `json:"errors"`
	Timeouts    int64   `json:"timeouts"`
	P50         int64   `json:"p50_us"`
	P99         int64   `json:"p99_us"`
	MemoryBytes int64   `json:"memory_bytes"`
	CPU         float64 `json:"cpu_s"`
	// LoadMillis is how long the present child took from its start until the plugin was ready.
	LoadMillis float64 `json:"load_ms"`
	// Goroutines are the child's, and SessionGoroutines those of the aura that it belongs to. A child that does not say in time has
	// none.
	Goroutines        int `json:"goroutines"`
	SessionGoroutines int `json:"session_goroutines"`
	// Sandbox is what the present child is confined by; nil if there is no child, or if it is not confined.
	Sandbox *sandbox.Report `json:"sandbox,omitempty"`
}

// PluginHealth is Health with the plugin it belongs to.
type PluginHealth struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	Health
}

// statsTimeout is how long a child may take to say how it is. One that is busy with a call answers beside it.
const statsTimeout = 50 * time.Millisecond

func (c *child) goroutines() int {
	ctx, cancel := context.WithTimeout(context.Background(), statsTimeout)
	defer cancel()
	stats, err := c.Stats(ctx)
	if err != nil {
		return 0
	}
	return stats.Goroutines
}

func (s *supervisor) health(session string) PluginHealth {
	s.mu.Lock()
	h := PluginHealth{Name: s.spec.Name, Dir: s.spec.Dir, Health: Health{
		Session: session, State: s.stateNow(), Restarts: s.stats.restarts, LastExit: s.opts.Secrets.Get().String(s.stats.lastExit),
		Calls: s.stats.calls, Errors: s.stats.errors, Timeouts: s.stats.timeouts,
	}}
	if s.stats.times != nil {
		h.P50, h.P99 = s.stats.times.ValueAtQuantile(50), s.stats.times.ValueAtQuantile(99)
	}
	c := s.cur
	s.mu.Unlock()
	h.SessionGoroutines = runtime.NumGoroutine()
	if c != nil {
		h.Goroutines = c.goroutines()
		h.Pid = c.proc.pid()
		h.Uptime = time.Since(c.started).Seconds()
		h.Sandbox = c.exports.Sandbox
		h.LoadMillis = float64(c.loadTime.Microseconds()) / 1000
		h.MemoryBytes, h.CPU = process.Usage(h.Pid)
	}
	return h
}
