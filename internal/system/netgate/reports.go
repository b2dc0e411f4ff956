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

	mu sync.Mutex
	// left is how many events may be reported at the time since.
	left    float64
	since   time.Time
	dropped int
}

func newReports(report func(Event)) *reports {
	return &reports{report: report, left: maxReports, since: time.Now()}
}

// add reports an event, unless there were too many. The client must not see what happened before add has returned, so that whoever knows
// the end of a call knows its events.
func (r *reports) add(e Event) {
	e.Time = time.Now()
	r.mu.Lock()
	r.left = min(maxReports, r.left+e.Time.Sub(r.since).Seconds()*reportsPerSecond)
	r.since = e.Time
	if r.left < 1 {
		r.dropped++
		r.mu.Unlock()
		return
	}
	r.left--
	e.Dropped, r.dropped = r.dropped, 0
	r.mu.Unlock()
	r.report(e)
}
