package host

import (
	"sync"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// firedPoints is the set of points at which a plugin with once set has run. The zero value is empty.
type firedPoints struct {
	// mu guards points.
	mu     sync.Mutex
	points map[hookpoint.Name]bool
}

func (f *firedPoints) has(point hookpoint.Name) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.points[point]
}

// add reports whether the plugin runs at the point for the first time, and records that it ran.
func (f *firedPoints) add(point hookpoint.Name) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.points[point] {
		return false
	}
	if f.points == nil {
		f.points = make(map[hookpoint.Name]bool)
	}
	f.points[point] = true
	return true
}

// replace makes points the whole set.
func (f *firedPoints) replace(points []hookpoint.Name) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.points = make(map[hookpoint.Name]bool, len(points))
	for _, point := range points {
		f.points[point] = true
	}
}
