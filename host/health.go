package host

import (
	"context"
	"runtime"
	"time"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Health is the health of one plugin in one session.
type Health struct {
	Session string `json:"session"`
	// Pid is the process ID of the child as aura sees it, or 0 if there is no child.
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
	// LoadMillis is the time that the current child took from its start until the plugin was ready.
	LoadMillis float64 `json:"load_ms"`
	// ChunksDropped is the number of pieces of answers that StreamChunk missed because the plugin was too slow.
	ChunksDropped int64 `json:"chunks_dropped"`
	// Events counts the events that the plugin emitted and received.
	Events EventCounts `json:"events"`
	// Runtime is what runs the plugin: interpreted, native or python. Build is the state of the compiled program, if the user permits one.
	Runtime string `json:"runtime"`
	Build   *Build `json:"build,omitempty"`
	// Goroutines is the number of goroutines in the child, or 0 if the child does not answer in time. SessionGoroutines is the
	// number of goroutines in the aura process that owns the child.
	Goroutines        int `json:"goroutines"`
	SessionGoroutines int `json:"session_goroutines"`
	// Sandbox describes how the current child is confined. It is nil if there is no child, or if the child is not confined.
	Sandbox *sandbox.Report `json:"sandbox,omitempty"`
}

// PluginHealth is a Health with the name and the directory of its plugin.
type PluginHealth struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	Health
}

// statsTimeout is how long aura waits for a child's statistics. A busy child answers concurrently with its calls.
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
	s.life.mu.Lock()
	h := PluginHealth{Name: s.life.spec.Name, Dir: s.life.spec.Dir, Health: Health{
		Session: session, State: s.life.shownState(), Events: s.mail.snapshot(),
	}}
	s.stats.fill(&h.Health)
	h.LastExit = s.opts.Secrets.Get().String(h.LastExit)
	c := s.life.cur
	h.Runtime, h.Build = s.native.runtime()
	s.life.mu.Unlock()
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
