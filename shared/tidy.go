package shared

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// largeMessage is the size from which a message leaves so much garbage that it is worth collecting at once, in bytes.
	largeMessage = 1 << 20
	// tidyDelay is how long after the last large message that happens.
	tidyDelay = time.Second
)

// tidy gives memory back to the system once large messages are done with. Left alone, a process that is rarely called keeps
// several times the size of the largest message it has ever seen.
var tidy = struct {
	sync.Mutex
	timer *time.Timer
}{}

// seen notes a message of a size in bytes.
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
		// Buffers that are pooled survive one collection.
		runtime.GC()
		debug.FreeOSMemory()
	})
}
