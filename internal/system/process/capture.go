package process

import (
	"slices"
	"sync"
)

// Tail is a writer that keeps the last bytes written to it. Several goroutines may use it.
type Tail struct {
	// Max is how many bytes are kept.
	Max int

	mu   sync.Mutex
	kept []byte
}

// Write always succeeds.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	p = p[max(0, len(p)-t.Max):]
	if over := len(t.kept) + len(p) - t.Max; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	t.kept = append(t.kept, p...)
	return n, nil
}

// String returns the bytes kept so far.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// Head is a writer that keeps the first bytes written to it and counts the others. Several goroutines may use it.
type Head struct {
	// Max is how many bytes are kept.
	Max int

	mu      sync.Mutex
	kept    []byte
	dropped int64
}

// Write always succeeds.
func (h *Head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	room := min(h.Max-len(h.kept), len(p))
	h.kept = append(h.kept, p[:room]...)
	h.dropped += int64(len(p) - room)
	return len(p), nil
}

// Kept returns the bytes kept so far, and how many bytes were dropped.
func (h *Head) Kept() (kept []byte, dropped int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clip(h.kept), h.dropped
}
