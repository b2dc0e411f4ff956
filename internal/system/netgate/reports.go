package netgate

import (
	"sync"
	"time"
)

// The limits of reports: a namespace reports maxReports events at once, and after that reportsPerSecond. What exceeds that is counted.
const (
	maxReports       = 512
	reportsPerSecond = 200
)

// reports passes the events of a namespace on, at a bounded rate.
type reports struct {
	report func(Event)

	mu      sync.Mutex
	budget  budget
	dropped int
}

func newReports(report func(Event)) *reports {
	return &reports{report: report, budget: newBudget(maxReports, reportsPerSecond)}
}

// add reports an event, unless there were too many. The client must not see what happened before add has returned, so that whoever knows
// the end of a call knows its events.
func (r *reports) add(e Event) {
	e.Time = time.Now()
	r.mu.Lock()
	if !r.budget.take() {
		r.dropped++
		r.mu.Unlock()
		return
	}
	e.Dropped, r.dropped = r.dropped, 0
	r.mu.Unlock()
	r.report(e)
}
