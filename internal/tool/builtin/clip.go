package builtin

import (
	"fmt"
	"strings"
	"sync"
)

// clip is a writer that keeps the beginning and the end of what is written to it.
type clip struct {
	// limit is the number of bytes kept, half of them at each end.
	limit int

	mu    sync.Mutex
	head  []byte
	tail  []byte
	total int
}

// Write never fails.
func (c *clip) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, half := len(p), c.limit/2
	c.total += n
	if room := half - len(c.head); room > 0 {
		room = min(room, len(p))
		c.head, p = append(c.head, p[:room]...), p[room:]
	}
	if len(p) > half {
		p = p[len(p)-half:]
	}
	c.tail = append(c.tail, p...)
	// The tail may grow to twice its share before it is cut, so that small writes do not move it each time.
	if len(c.tail) > 2*half {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-half:]...)
	}
	return n, nil
}

// String returns what was kept as valid UTF-8, with the number of bytes left out in the place of these.
func (c *clip) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.tail
	if len(c.head)+len(tail) > c.limit {
		tail = tail[len(tail)-c.limit/2:]
	}
	left := c.total - len(c.head) - len(tail)
	if left == 0 {
		return strings.ToValidUTF8(string(c.head)+string(tail), "\uFFFD")
	}
	return strings.ToValidUTF8(string(c.head), "\uFFFD") +
		fmt.Sprintf("\n[... %d bytes left out ...]\n", left) +
		strings.ToValidUTF8(string(tail), "\uFFFD")
}
