package shared

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// largeMessage is the size, in bytes, from which the garbage of a message is worth collecting immediately.
	largeMessage = 1 << 20
	// tidyDelay is the delay between the last large message and the collection.
	tidyDelay = time.Second
)

// tidy returns memory to the system after large messages have been handled. Otherwise, a process that is rarely called would
// keep several times the size of the largest message that it has ever received.
var tidy = struct {
	sync.Mutex
	timer *time.Timer
}{}

// seen records the size of a message, in bytes, and schedules a collection if the message is large.
func seen(size int) {
	if size < largeMessage {
		return
	}
	tidy.Lock()
	defer tidy.Unlock()
	if tidy.timer != nil {
		tidy.timer.Reset(tidyDelay)
		return
	}
	tidy.timer = time.AfterFunc(tidyDelay, func() {
		// Pooled buffers survive one collection.
		runtime.GC()
		debug.FreeOSMemory()
	})
}
