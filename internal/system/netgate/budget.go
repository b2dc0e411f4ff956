package netgate

import "time"

// budget bounds how often something happens: most times at once, and after that so many times a second. What exceeds it is dropped, and nobody
// waits. It is used by one goroutine at a time.
type budget struct {
	most, perSecond float64
	// left is how often it may happen at the time since.
	left  float64
	since time.Time
}

func newBudget(most, perSecond float64) budget {
	return budget{most: most, perSecond: perSecond, left: most, since: time.Now()}
}

// take reports whether it may happen once more.
func (b *budget) take() bool {
	now := time.Now()
	b.left = min(b.most, b.left+now.Sub(b.since).Seconds()*b.perSecond)
	b.since = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
